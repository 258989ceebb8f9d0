#include "fleet/prober.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "control/health.h"
#include "fleet/health_config.h"
#include "fleet/probe.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "json/log_line.h"
#include "runtime/cancellation.h"
#include "runtime/rest.h"
#include "runtime/task.h"

namespace penstock::fleet {

using control::HealthState;
using control::ProbeEnd;
using runtime::Task;

void Prober::start(std::shared_ptr<const std::vector<Provider>> providers) {
  providers_ = std::move(providers);
  for (const Provider& provider : *providers_) {
    if (!provider.health) continue;
    for (std::size_t i = 0; i < provider.replicas.size(); ++i) watches_.spawn(watch(&provider, i));
  }
}

Task<void> Prober::close() {
  stop_.request(runtime::StopReason::kShutdown);
  co_await watches_.join();
}

Task<void> Prober::watch(const Provider* provider, std::size_t replica) {
  const HealthConfig& config = *provider->health;
  while (!stop_.requested()) {
    const TimePoint began = loop_.clock().now();
    const ProbeParts parts{loop_, dialer_, *provider, replica};
    const runtime::CallContext context{stop_, began + config.timeout};
    const std::optional<ProbeFault> fault = co_await probe(parts, context);
    if (stop_.requested()) co_return;
    settle(*provider, replica, fault);
    const TimePoint next = began + control::probe_pause(config.interval, *rng_);
    ignore(co_await runtime::rest_until(loop_, stop_, next), "the loop's condition tells");
  }
}

void Prober::settle(const Provider& provider, std::size_t replica,
                    const std::optional<ProbeFault>& fault) {
  if (fault && fault->code == ErrorCode::kOverloaded) return;  // ours, not the replica's
  ReplicaState& state = provider.state->replicas[replica];
  if (fault)
    state.set_last_error(
        {.code = fault->code, .status = fault->status, .at = loop_.clock().wall()});
  const HealthState before = state.health.state();
  const HealthState after =
      state.health.on_probe(fault ? ProbeEnd::kFailed : ProbeEnd::kPassed,
                            provider.health->hysteresis(), loop_.clock().now());
  const bool first_and_well = before == HealthState::kUnknown && after == HealthState::kHealthy;
  if (before != after && !first_and_well) tell(provider, replica, fault);
}

void Prober::tell(const Provider& provider, std::size_t replica,
                  const std::optional<ProbeFault>& fault) {
  json::LogLine(fault ? json::LogLevel::kWarn : json::LogLevel::kInfo,
                fault ? "replica unhealthy" : "replica healthy")
      .with("provider", provider.name)
      .with("replica", provider.replicas[replica].name)
      .with("why", fault ? std::string_view(fault->why) : std::string_view("its probes pass"))
      .write_to(log_);
}

}  // namespace penstock::fleet
