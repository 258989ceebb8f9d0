#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/units.h"
#include "control/priority.h"
#include "gateway/delivery.h"
#include "tests/scenario/faulty_fleet.h"
#include "tests/scenario/scenario.h"

namespace penstock::scenario {

// What a simulation draws before it runs: the config, its callers, and what each of them sends.

// Limits of a tenant or a workload; nullopt: none.
struct DrawnLimits {
  std::optional<std::uint64_t> in_flight;
  std::optional<std::uint64_t> per_second;
  std::uint64_t burst = 0;  // where there is a rate
};

struct DrawnWorkload {
  std::string name;
  control::Priority priority = control::Priority::kStandard;
  gateway::Delivery delivery = gateway::Delivery::kStream;
  DrawnLimits limits;
};

struct DrawnTenant {
  std::string name;
  DrawnLimits limits;
  std::vector<DrawnWorkload> workloads;  // each has one key
};

struct PlannedCall {
  Duration at{};
  std::string bytes;    // the whole request; `x-request-id` is "r" and its place among the calls
  Duration patience{};  // from its head to its reply's end, as its headers and the model have it
  std::optional<Duration> leave_at;
  Leave leave = Leave::kClose;
  std::size_t tenant = 0;  // of the plan's
  std::size_t workload = 0;
};

struct SimulationPlan {
  static constexpr std::size_t kCalls = 50;
  static constexpr Duration kSpan = 4s;  // in which the calls begin

  Asks asks = Asks::kUnary;
  std::uint32_t attempts_max = 1;
  std::uint64_t in_flight = 1;  // of the process
  Duration queue_wait{};
  std::vector<DrawnTenant> tenants;
  std::string config;
  std::vector<PlannedCall> calls;

  [[nodiscard]] const DrawnTenant& tenant_of(const PlannedCall& call) const {
    return tenants[call.tenant];
  }
  [[nodiscard]] const DrawnWorkload& workload_of(const PlannedCall& call) const {
    return tenants[call.tenant].workloads[call.workload];
  }
};

[[nodiscard]] SimulationPlan draw_plan(Rng& rng);

}  // namespace penstock::scenario
