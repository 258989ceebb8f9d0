#pragma once

#include "base/error.h"
#include "base/result.h"
#include "gateway/request_scope.h"
#include "gateway/worker.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "runtime/task.h"

namespace penstock::gateway {

// The life of a request on one worker: the stages of ARCHITECTURE.md section 2, in their order.
class Pipeline final : public net::Handler {
 public:
  explicit Pipeline(Worker& worker) noexcept : worker_(worker) {}

  [[nodiscard]] runtime::Task<void> serve(net::Exchange& exchange) override;
  [[nodiscard]] runtime::Task<void> refuse(net::Exchange& exchange, Error error) override;

 private:
  [[nodiscard]] runtime::Task<Result<void>> guarded(RequestScope& scope);
  [[nodiscard]] runtime::Task<Result<void>> run(RequestScope& scope);
  [[nodiscard]] runtime::Task<Result<void>> read_and_validate(RequestScope& scope);

  Worker& worker_;
};

}  // namespace penstock::gateway
