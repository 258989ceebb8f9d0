#include "admin/drain_route.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "dialect/openai/error.h"
#include "net/exchange.h"
#include "runtime/task.h"
#include "wire/head_writer.h"
#include "wire/request_head.h"

namespace penstock::admin {
namespace {

std::optional<Error> objection(const wire::RequestHead& head) {
  if (head.method != "POST") return Error(ErrorCode::kMethodNotAllowed);
  // Without a token any page in this machine's browser could post here; programs send no Origin.
  if (head.headers.find("origin"))
    return Error(ErrorCode::kUnauthenticated, "Web pages may not drain the gateway.");
  return std::nullopt;
}

}  // namespace

runtime::Task<void> serve_drain(net::Exchange& exchange, const Drain& drain) {
  const std::optional<Error> error = objection(exchange.head());
  if (!error) drain();
  std::string head;
  wire::append_status_line(head, error ? error->http_status() : 202);
  if (error && error->code == ErrorCode::kMethodNotAllowed)
    wire::append_header(head, "allow", "POST");
  wire::append_header(head, "content-type", "application/json");
  wire::append_header(head, "cache-control", "no-store");
  const std::string text =
      error ? dialect::openai::error_body(*error, {}) : std::string(R"({"draining":true})");
  const std::array<std::string_view, 1> body{text};
  ignore(co_await exchange.reply(std::move(head), body), "a client that left needs no answer");
}

}  // namespace penstock::admin
