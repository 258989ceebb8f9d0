#include "gateway/heartbeat.h"

#include <array>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "gateway/attempt_error.h"
#include "gateway/reply_head.h"
#include "gateway/request_scope.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "runtime/task.h"

namespace penstock::gateway {

using runtime::Task;

Task<Result<void>> beat(RequestScope& scope) {
  if (!scope.exchange.begun()) {
    scope.status = 200;
    scope.exchange.begin(stream_head(scope), {net::ReplyFraming::Kind::kStream, 0});
  }
  const std::array<std::string_view, 1> line{": heartbeat\n\n"};
  if (co_await scope.exchange.write(line) != net::IoEnd::kOk) co_return fail(stopped());
  put_off_heartbeat(scope, scope.now());
  co_return Result<void>();
}

void put_off_heartbeat(RequestScope& scope, TimePoint written) {
  scope.heartbeat_due = written + scope.snapshot->stream.heartbeat;
}

}  // namespace penstock::gateway
