#include "admin/admin.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "admin/access.h"
#include "admin/routes.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "dialect/openai/error.h"
#include "gateway/health_reply.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "gateway/surface_of.h"
#include "net/exchange.h"
#include "wire/head_writer.h"
#include "wire/request_head.h"

namespace penstock::admin {

using runtime::Task;

namespace {

constexpr std::size_t kBodyMax = std::size_t{64} << 10;
constexpr Duration kBodyWait = 10s;

Task<void> send(net::Exchange& exchange, int status, std::string_view type, std::string_view body,
                std::string_view allowed = std::string_view()) {
  std::string head;
  wire::append_status_line(head, status);
  wire::append_header(head, "content-type", type);
  wire::append_header(head, "cache-control", "no-store");
  if (status == 401) wire::append_header(head, "www-authenticate", "Bearer");
  if (status == 405) wire::append_header(head, "allow", allowed);
  const std::array<std::string_view, 1> pieces{body};
  ignore(co_await exchange.reply(std::move(head), pieces), "a client that left needs no answer");
}

Task<void> send_error(net::Exchange& exchange, Error error,
                      std::string_view allowed = std::string_view()) {
  const std::string body = dialect::openai::error_body(error, {});
  co_await send(exchange, error.http_status(), "application/json", body, allowed);
}

Error no_such_path(std::string_view path) {
  Error error(ErrorCode::kNotFound);
  if (const std::string_view near = nearest_path(path); !near.empty())
    error.hint = "Did you mean " + std::string(near) + "?";
  return error;
}

bool is_change(std::string_view method) { return method != "GET" && method != "HEAD"; }

}  // namespace

Task<void> Admin::serve(net::Exchange& exchange) {
  const wire::RequestHead& head = exchange.head();
  if (gateway::is_health_path(head.target)) {
    const std::shared_ptr<const gateway::Snapshot> snapshot = plane_.config.snapshot();
    co_await gateway::reply_health(exchange, plane_.process, *snapshot, plane_.clock.now());
    co_return;
  }
  if (Result<void> known = check_caller(head, token_); !known) {
    co_await send_error(exchange, std::move(known).error());
    co_return;
  }
  co_await answer(exchange);
}

Task<void> Admin::answer(net::Exchange& exchange) {
  const wire::RequestHead& head = exchange.head();
  const std::string_view path = gateway::path_of(head.target);
  const Found found = find_route(head.method, path);
  if (found.route == nullptr) {
    co_await send_error(
        exchange, found.allowed.empty() ? no_such_path(path) : Error(ErrorCode::kMethodNotAllowed),
        found.allowed);
    co_return;
  }
  Call call{.plane = plane_, .argument = found.argument};
  if (const std::size_t query = head.target.find('?'); query != std::string_view::npos)
    call.query = std::string_view(head.target).substr(query + 1);
  if (const auto id = head.headers.find("x-request-id"); id && gateway::is_request_id(*id))
    call.request_id = *id;
  if (is_change(head.method)) {
    if (Result<void> may = check_change(head); !may) {
      co_await send_error(exchange, std::move(may).error());
      co_return;
    }
    const net::BodyLimits limits{.memory = body_memory_, .bytes_max = kBodyMax, .wait = kBodyWait};
    Result<std::string_view> body = co_await exchange.read_body(limits);
    if (!body) {
      co_await send_error(exchange, std::move(body).error());
      co_return;
    }
    call.body = *body;
  }
  Result<Reply> reply = co_await found.route->handle(call);
  if (reply)
    co_await send(exchange, 200, reply->type, reply->body);
  else
    co_await send_error(exchange, std::move(reply).error());
}

Task<void> Admin::refuse(net::Exchange& exchange, Error error) {
  co_await send_error(exchange, std::move(error));
}

}  // namespace penstock::admin
