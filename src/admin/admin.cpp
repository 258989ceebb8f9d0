#include "admin/admin.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "admin/drain_route.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "crypto/compare.h"
#include "dialect/openai/error.h"
#include "gateway/health_reply.h"
#include "gateway/surface_of.h"
#include "net/exchange.h"
#include "telemetry/exposition.h"
#include "wire/head_writer.h"
#include "wire/header_list.h"
#include "wire/request_head.h"

namespace penstock::admin {

using runtime::Task;

namespace {

Task<void> reply(net::Exchange& exchange, int status, std::string_view type,
                 std::string_view body) {
  std::string head;
  wire::append_status_line(head, status);
  wire::append_header(head, "content-type", type);
  wire::append_header(head, "cache-control", "no-store");
  if (status == 401) wire::append_header(head, "www-authenticate", "Bearer");
  if (status == 405) wire::append_header(head, "allow", "GET, HEAD");
  const std::array<std::string_view, 1> pieces{body};
  ignore(co_await exchange.reply(std::move(head), pieces), "a client that left needs no answer");
}

Task<void> reply_error(net::Exchange& exchange, Error error) {
  const std::string body = dialect::openai::error_body(error, {});
  co_await reply(exchange, error.http_status(), "application/json", body);
}

}  // namespace

bool Admin::allowed(const wire::RequestHead& head) const {
  if (token_.empty()) return true;
  const std::optional<std::string_view> given = head.headers.find("authorization");
  constexpr std::string_view kScheme = "Bearer ";
  if (!given || head.headers.count("authorization") != 1 || given->size() <= kScheme.size() ||
      !wire::equals_ignore_case(given->substr(0, kScheme.size()), kScheme))
    return false;
  return crypto::constant_time_equal(wire::trim(given->substr(kScheme.size())), token_.reveal());
}

Task<void> Admin::serve(net::Exchange& exchange) {
  const wire::RequestHead& head = exchange.head();
  if (gateway::is_health_path(head.target)) {
    co_await gateway::reply_health(exchange, process_);
    co_return;
  }
  if (!allowed(head)) {
    co_await reply_error(
        exchange, Error(ErrorCode::kUnauthenticated, "The admin plane asks for its bearer token."));
    co_return;
  }
  if (gateway::path_of(head.target) == "/admin/v1/drain") {
    co_await serve_drain(exchange, drain_);
    co_return;
  }
  if (gateway::path_of(head.target) != "/metrics") {
    co_await reply_error(exchange, Error(ErrorCode::kNotFound));
    co_return;
  }
  if (head.method != "GET" && head.method != "HEAD") {
    co_await reply_error(exchange, Error(ErrorCode::kMethodNotAllowed));
    co_return;
  }
  const std::string text = telemetry::render_exposition(sources_);
  co_await reply(exchange, 200, telemetry::kExpositionContentType, text);
}

Task<void> Admin::refuse(net::Exchange& exchange, Error error) {
  co_await reply_error(exchange, std::move(error));
}

}  // namespace penstock::admin
