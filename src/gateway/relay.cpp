#include "gateway/relay.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "gateway/attempt_watch.h"
#include "gateway/provider_reply.h"
#include "gateway/request_scope.h"
#include "net/http_call.h"
#include "wire/header_list.h"
#include "wire/response_head.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

bool has_type(const wire::HeaderList& headers, std::string_view media_type) {
  const std::optional<std::string_view> type = headers.find("content-type");
  return type && wire::equals_ignore_case(wire::media_type(*type), media_type);
}

}  // namespace

bool is_encoded(const wire::HeaderList& headers) noexcept {
  const std::optional<std::string_view> coding = headers.find("content-encoding");
  return coding && !coding->empty() && !wire::equals_ignore_case(*coding, "identity");
}

Task<Result<void>> relay(RequestScope& scope, net::HttpCall& call, TimePoint first_byte_due) {
  const wire::ResponseHead& head = call.head();
  note_reply_head(scope, head);
  scope.watch->answered();
  if (head.status == 401 || head.status == 403)
    co_return fail(ErrorCode::kUpstreamCredentials);  // ours to mend, not the client's fault
  if (head.status < 200 || (head.status >= 300 && head.status < 400))
    co_return fail(ErrorCode::kUpstreamBadResponse,
                   "The provider answered with status " + std::to_string(head.status) + ".");
  const bool streamed = scope.request.streamed() && head.status < 300;
  if (!streamed) co_return co_await relay_unary(scope, call, first_byte_due);
  if (is_encoded(head.headers))
    co_return fail(ErrorCode::kUpstreamBadResponse, "The provider compressed the stream.");
  if (has_type(head.headers, "application/json"))
    co_return co_await no_stream(scope, call, first_byte_due);
  if (!has_type(head.headers, "text/event-stream"))
    co_return fail(ErrorCode::kUpstreamBadResponse, "The provider did not answer with a stream.");
  co_return co_await relay_stream(scope, call, first_byte_due);
}

}  // namespace penstock::gateway
