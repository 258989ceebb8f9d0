#include "gateway/own_reply.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "gateway/reply_head.h"
#include "gateway/request_scope.h"
#include "net/exchange.h"
#include "runtime/task.h"
#include "wire/head_writer.h"

namespace penstock::gateway {

runtime::Task<Result<void>> reply_json(RequestScope& scope, std::string body) {
  std::string head;
  wire::append_status_line(head, 200);
  wire::append_header(head, "content-type", "application/json");
  wire::append_header(head, "cache-control", "no-store");
  append_own_fields(head, scope, Told::kNothing);
  scope.rejected_at.reset();
  scope.status = 200;
  scope.stop = "complete";
  const std::array<std::string_view, 1> pieces{body};
  ignore(co_await scope.exchange.reply(std::move(head), pieces), "a client that left is settled");
  co_return Result<void>();
}

}  // namespace penstock::gateway
