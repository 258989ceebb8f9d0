#include "gateway/health_reply.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/units.h"
#include "fleet/provider.h"
#include "fleet/standing.h"
#include "gateway/snapshot.h"
#include "gateway/surface_of.h"
#include "gateway/worker.h"
#include "identity/auth_config.h"
#include "net/exchange.h"
#include "runtime/task.h"
#include "wire/head_writer.h"
#include "wire/request_head.h"

namespace penstock::gateway {
namespace {

bool asks_for_providers(std::string_view target) noexcept {
  const std::size_t query = target.find('?');
  return query != std::string_view::npos && target.substr(query + 1) == "providers";
}

bool can_serve(const Snapshot& snapshot, TimePoint now) {
  return std::ranges::any_of(snapshot.providers, [now](const fleet::Provider& provider) {
    return fleet::any_eligible(provider, now);
  });
}

}  // namespace

bool is_health_path(std::string_view target) noexcept {
  const std::string_view path = path_of(target);
  return path == "/livez" || path == "/readyz";
}

runtime::Task<void> reply_health(net::Exchange& exchange, const Process& process,
                                 const Snapshot& snapshot, TimePoint now) {
  const wire::RequestHead& head = exchange.head();
  const bool wants_ready = path_of(head.target) == "/readyz";
  const bool ready = process.ready.load() && !process.draining.load() &&
                     (!asks_for_providers(head.target) || can_serve(snapshot, now));
  const bool good = !wants_ready || ready;
  const bool allowed = head.method == "GET" || head.method == "HEAD";
  std::string text;
  wire::append_status_line(text, !allowed ? 405 : good ? 200 : 503);
  if (!allowed) wire::append_header(text, "allow", "GET, HEAD");
  wire::append_header(text, "content-type", "text/plain; charset=utf-8");
  wire::append_header(text, "cache-control", "no-store");
  if (snapshot.auth == identity::AuthMode::kDev)
    wire::append_header(text, "x-penstock-mode", "dev");
  const std::array<std::string_view, 1> body{!allowed ? "method not allowed\n"
                                             : !good  ? "not ready\n"
                                                      : "ok\n"};
  ignore(co_await exchange.reply(std::move(text), body), "a client that left needs no answer");
}

}  // namespace penstock::gateway
