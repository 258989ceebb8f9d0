#include "admin/drain_route.h"

#include "admin/audit.h"
#include "admin/plane.h"
#include "admin/routes.h"
#include "base/result.h"
#include "runtime/task.h"

namespace penstock::admin {

runtime::Task<Result<Reply>> begin_drain(const Call& call) {
  audit(call, {.action = "drain process"});
  call.plane.drain();
  Reply reply;
  reply.body = R"({"draining":true})";
  co_return reply;
}

}  // namespace penstock::admin
