#include "lab/experiments/replica_watch.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "base/units.h"
#include "lab/runner/bench.h"
#include "lab/runner/children.h"
#include "lab/runner/metrics_text.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

constexpr double kOpen = 2;  // of the gauge provider_status
constexpr double kNever = 60'000;

}  // namespace

std::optional<std::int64_t> ReplicaOut::either() const noexcept {
  if (!breaker || !health) return breaker ? breaker : health;
  return std::min(*breaker, *health);
}

Result<ReplicaOut> watch_replica(const Bench& bench, Trial& trial, const GatewayChild& gateway,
                                 const MockChild& mock, Until until, Duration at_most) {
  ReplicaOut out;
  const std::string place = mock.place();
  const auto look = [&] {
    const Result<MetricsText> metrics = gateway.metrics();
    if (!metrics) return false;
    const std::int64_t now = bench.now_us();
    const MetricsText::Wanted replica{"replica", place};
    if (!out.breaker && metrics->sum("penstock_provider_status", {replica}) == kOpen) {
      out.breaker = now;
      trial.note(fmt::format("breaker of {} is seen open", mock.name));
    }
    const bool probed = metrics->count("penstock_replica_healthy", {replica}) != 0;
    if (!out.health && probed && metrics->sum("penstock_replica_healthy", {replica}) == 0) {
      out.health = now;
      trial.note(fmt::format("health of {} is seen down", mock.name));
    }
    switch (until) {
      case Until::kBreaker: return out.breaker.has_value();
      case Until::kBoth: return out.breaker && out.health;
      case Until::kEither: return out.either().has_value();
    }
    return true;
  };
  PENSTOCK_TRY(const bool seen, bench.until(at_most, look, 20ms));
  ignore(seen, "what was not seen is absent");
  return out;
}

double ms_after(std::optional<std::int64_t> at, std::int64_t from) noexcept {
  return at ? static_cast<double>(*at - from) / 1e3 : kNever;
}

}  // namespace penstock::lab
