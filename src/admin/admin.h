#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "admin/drain_route.h"
#include "base/metric_source.h"
#include "base/secret.h"
#include "gateway/worker.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "runtime/task.h"

namespace penstock::admin {

// The admin plane: health, metrics. Runs on the control thread.
class Admin final : public net::Handler {
 public:
  // token: empty: none is asked for (loopback only). The list of sources outlives this.
  Admin(const gateway::Process& process, Secret token,
        const std::vector<const MetricSource*>& sources, Drain drain)
      : process_(process), token_(std::move(token)), sources_(sources), drain_(std::move(drain)) {}

  [[nodiscard]] runtime::Task<void> serve(net::Exchange& exchange) override;
  [[nodiscard]] runtime::Task<void> refuse(net::Exchange& exchange, Error error) override;

 private:
  [[nodiscard]] bool allowed(const wire::RequestHead& head) const;

  const gateway::Process& process_;
  Secret token_;
  const std::vector<const MetricSource*>& sources_;
  Drain drain_;
};

}  // namespace penstock::admin
