#include "lab/mock_reply.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/result.h"
#include "dialect/openai/error.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "runtime/task.h"
#include "wire/head_writer.h"

namespace penstock::lab {
namespace {

std::string_view error_type(int status) noexcept {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 429: return "rate_limit_error";
  }
  return status < 500 ? "invalid_request_error" : "server_error";
}

}  // namespace

std::string mock_head(int status, std::string_view media_type, std::uint64_t seed) {
  std::string head;
  head.reserve(256);
  wire::append_status_line(head, status);
  wire::append_header(head, "content-type", media_type);
  if (media_type != kJsonType) wire::append_header(head, "cache-control", "no-cache");
  fmt::format_to(std::back_inserter(head), "x-request-id: req_{:016x}\r\n", seed);
  return head;
}

runtime::Task<net::IoEnd> send_reply(net::Exchange& exchange, std::string head, std::string body) {
  const std::string_view pieces[] = {body};
  co_return co_await exchange.reply(std::move(head), pieces);
}

runtime::Task<void> reply_json(net::Exchange& exchange, std::string body) {
  std::string head = mock_head(200, kJsonType, 0);
  ignore(co_await send_reply(exchange, std::move(head), std::move(body)), "the client may be gone");
}

runtime::Task<void> reply_error(net::Exchange& exchange, Error error) {
  std::string body = dialect::openai::error_body(error, "req_0");
  std::string head = mock_head(error.http_status(), kJsonType, 0);
  ignore(co_await send_reply(exchange, std::move(head), std::move(body)), "the client may be gone");
}

std::string_view media_type_of(std::string_view body) noexcept {
  if (body.starts_with("data:") || body.starts_with("event:")) return kEventStreamType;
  if (body.starts_with('<')) return "text/html";
  return body.starts_with('{') || body.starts_with('[') ? kJsonType : "text/plain";
}

std::string ordered_error(int status) {
  return fmt::format(
      "{{\"error\":{{\"message\":\"The mock was told to answer {}.\",\"type\":\"{}\","
      "\"param\":null,\"code\":\"mock_fault\"}}}}",
      status, error_type(status));
}

}  // namespace penstock::lab
