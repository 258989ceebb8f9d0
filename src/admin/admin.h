#pragma once

#include <utility>

#include "admin/plane.h"
#include "base/byte_budget.h"
#include "base/error.h"
#include "base/secret.h"
#include "base/units.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "runtime/task.h"

namespace penstock::admin {

// The admin plane: who may ask (access.h), and what there is to ask for (routes.h). Runs on the
// control thread.
class Admin final : public net::Handler {
 public:
  // token: empty: none is asked for (loopback only).
  Admin(Plane plane, Secret token) : plane_(std::move(plane)), token_(std::move(token)) {}

  [[nodiscard]] runtime::Task<void> serve(net::Exchange& exchange) override;
  [[nodiscard]] runtime::Task<void> refuse(net::Exchange& exchange, Error error) override;

  // From the next request on this token is asked for.
  void set_token(Secret token) { token_ = std::move(token); }
  [[nodiscard]] Plane& plane() noexcept { return plane_; }

 private:
  [[nodiscard]] runtime::Task<void> answer(net::Exchange& exchange);

  Plane plane_;
  Secret token_;
  ByteBudget body_memory_{1_MiB};
};

}  // namespace penstock::admin
