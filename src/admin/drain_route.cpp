#include "admin/drain_route.h"

#include <utility>

#include "admin/audit.h"
#include "admin/plane.h"
#include "admin/routes.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "runtime/task.h"

namespace penstock::admin {

runtime::Task<Result<Reply>> begin_drain(const Call& call) {
  // An order meant for a replica must not end the process.
  if (!call.body.empty() && call.body != "{}") {
    Error error(ErrorCode::kInvalidRequest, "This drains the whole process and takes no body.");
    error.hint = "One replica: POST /admin/v1/providers/NAME/drain";
    co_return fail(std::move(error));
  }
  audit(call, {.action = "drain process"});
  call.plane.drain();
  Reply reply;
  reply.body = R"({"draining":true})";
  co_return reply;
}

}  // namespace penstock::admin
