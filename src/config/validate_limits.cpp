#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/field.h"
#include "base/quantity_text.h"
#include "config/config.h"
#include "config/path.h"
#include "config/tenants_config.h"
#include "config/validate.h"
#include "control/rate_bucket.h"
#include "gateway/admission_config.h"
#include "gateway/caller_limits_config.h"

namespace penstock::config {
namespace {

// One set of limits and where it stands.
struct Placed {
  std::string path;
  gateway::CallerLimitsConfig limits;
};

// Whether a bucket, all of whose units pass an outer one too, can never be the one that refuses:
// neither its rate nor its burst is below the other's, and one is above.
struct Bucket {
  PerTime rate;
  std::uint64_t burst = 1;
};
bool never_binds(const Bucket& inner, const Bucket& outer) {
  const std::uint64_t rate = inner.rate.hourly();
  const std::uint64_t rate_outer = outer.rate.hourly();
  return rate >= rate_outer && inner.burst >= outer.burst &&
         (rate > rate_outer || inner.burst > outer.burst);
}

Bucket requests_of(const gateway::CallerLimitsConfig& limits) {
  return {*limits.requests, gateway::burst_of(*limits.requests, limits.burst)};
}
Bucket tokens_of(const gateway::CallerLimitsConfig& limits) {
  return {*limits.tokens, gateway::burst_of_tokens(*limits.tokens)};
}

class LimitsChecker {
 public:
  LimitsChecker(const Origins& origins, Findings& findings)
      : origins_(origins), findings_(findings) {}

  void admission(const gateway::AdmissionConfig& config) {
    if (config.queue > 0 && config.queue_wait == 0s)
      problem("admission.queue_wait", "0s lets nobody wait in the queue",
              "such as queue_wait: 2s; or queue: 0 to refuse at once");
    if (config.queue == 0 && config.queue_wait > 0s)
      findings_.warnings.push_back({origins_.nearest("admission.queue_wait"),
                                    "admission.queue_wait: there is no queue to wait in",
                                    "such as queue: 100"});
  }

  void tenant(std::string_view name, const TenantConfig& config) {
    const std::string path = path_of("tenants", name);
    const Placed tenant{path_of(path, "limits"), config.limits};
    alone(tenant);
    for (const auto& [workload, its] : config.workloads) {
      const Placed limits = of_workload(path, workload, its);
      alone(limits);
      within(limits, tenant);
      output(path_of(path, "workloads"), workload, its, limits);
      output(path_of(path, "workloads"), workload, its, tenant);
    }
    for (std::size_t i = 0; i < config.keys.size(); ++i) {
      const KeyConfig& key = config.keys[i];
      const Placed limits{path_of(path_of(path_of(path, "keys"), i), "limits"),
                          gateway::limits_of(key.limits)};
      alone(limits);
      const WorkloadConfig* workload = config.workloads.find(key.workload);
      if (workload != nullptr) output(path_of(path, "workloads"), key.workload, *workload, limits);
      if (workload != nullptr && within(limits, of_workload(path, key.workload, *workload)))
        continue;
      within(limits, tenant);
    }
  }

 private:
  static Placed of_workload(const std::string& tenant, std::string_view name,
                            const WorkloadConfig& config) {
    return {path_of(path_of(path_of(tenant, "workloads"), name), "limits"), config.limits};
  }

  void alone(const Placed& placed) {
    const auto& [requests, burst, tokens, in_flight] = placed.limits;
    if (burst && !requests)
      problem(path_of(placed.path, "burst"), "binds nothing without requests",
              "such as requests: 100/s");
    if (burst.value_or(0) == 0 || !requests) return;  // 0: what was written was out of range
    const control::BucketShape shape(
        {.units = requests->count, .per = length_of(requests->per), .burst = *burst});
    if (shape.burst() < *burst)
      problem(path_of(placed.path, "burst"),
              fmt::format("would take over a year to come back at {}", per_time_text(*requests)),
              "");
  }

  // True when something was found.
  bool within(const Placed& inner, const Placed& outer) {
    bool found = false;
    if (inner.limits.requests && outer.limits.requests &&
        never_binds(requests_of(inner.limits), requests_of(outer.limits))) {
      found = true;
      problem(path_of(inner.path, "requests"),
              fmt::format("{} can never bind: {} allows {}", shown(inner.limits),
                          path_of(outer.path, "requests"), shown(outer.limits)),
              "");
    }
    if (inner.limits.tokens && outer.limits.tokens &&
        never_binds(tokens_of(inner.limits), tokens_of(outer.limits))) {
      found = true;
      problem(path_of(inner.path, "tokens"),
              fmt::format("{} can never bind: {} allows {}", per_time_text(*inner.limits.tokens),
                          path_of(outer.path, "tokens"), per_time_text(*outer.limits.tokens)),
              "");
    }
    if (inner.limits.in_flight && outer.limits.in_flight &&
        *inner.limits.in_flight > *outer.limits.in_flight) {
      found = true;
      problem(path_of(inner.path, "in_flight"),
              fmt::format("{} can never bind: {} is {}", *inner.limits.in_flight,
                          path_of(outer.path, "in_flight"), *outer.limits.in_flight),
              "");
    }
    return found;
  }

  // A request that names no ceiling holds the workload's, beside what its body holds.
  void output(const std::string& workloads, std::string_view name, const WorkloadConfig& workload,
              const Placed& placed) {
    if (!workload.output_tokens_max || !placed.limits.tokens) return;
    const std::uint64_t burst = gateway::burst_of_tokens(*placed.limits.tokens);
    if (*workload.output_tokens_max < burst) return;
    problem(path_of(path_of(workloads, name), "output_tokens_max"),
            fmt::format("{} can never be had: {} allows {} tokens at once",
                        *workload.output_tokens_max, path_of(placed.path, "tokens"), burst),
            "a lower ceiling, or a higher limit");
  }

  static std::string shown(const gateway::CallerLimitsConfig& limits) {
    return fmt::format("{} with a burst of {}", per_time_text(*limits.requests),
                       gateway::burst_of(*limits.requests, limits.burst));
  }

  void problem(const std::string& path, std::string_view what, std::string hint) {
    findings_.problems.push_back(
        {origins_.nearest(path), fmt::format("{}: {}", path, what), std::move(hint)});
  }

  const Origins& origins_;
  Findings& findings_;
};

}  // namespace

void validate_limits(const Config& config, const Origins& origins, Findings& findings) {
  LimitsChecker checker(origins, findings);
  checker.admission(config.admission);
  for (const auto& [name, tenant] : config.tenants) checker.tenant(name, tenant);
}

}  // namespace penstock::config
