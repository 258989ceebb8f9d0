#include "gateway/no_replica.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/units.h"
#include "control/refusal_wait.h"
#include "fleet/provider.h"
#include "fleet/selection.h"
#include "fleet/standing.h"
#include "fleet/target.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {
namespace {

constexpr std::size_t kListedMax = 16;

}  // namespace

Error no_replica(const RequestScope& scope, const std::vector<fleet::Verdict>& verdicts) {
  const auto out_for_load = [](const fleet::Verdict& verdict) {
    return verdict.standing == fleet::Standing::kFull ||
           verdict.standing == fleet::Standing::kDegraded;
  };
  if (!verdicts.empty() && std::ranges::any_of(verdicts, out_for_load) &&
      std::ranges::all_of(verdicts, out_for_load))
    return Error(ErrorCode::kOverloaded, "The providers serve as many requests as they may.");
  Error error(ErrorCode::kNoReplica);
  const TimePoint now = scope.now();
  std::optional<TimePoint> earliest;
  std::string list;
  std::size_t listed = 0;
  for (const fleet::Verdict& verdict : verdicts) {
    const fleet::Target& target = scope.route.targets()[verdict.target];
    const fleet::Provider& provider = scope.snapshot->providers[target.provider];
    const std::optional<TimePoint> back = fleet::back_at(provider, verdict.replica, now);
    if (back && (!earliest || *back < *earliest)) earliest = back;
    std::string entry = provider.name + " " + provider.replicas[verdict.replica].name + ": ";
    entry += fleet::name(verdict.standing);
    if (list.find(entry) != std::string::npos) continue;  // a target that is a fallback too
    if (++listed > kListedMax) continue;
    if (!list.empty()) list += ", ";
    list += entry;
  }
  if (listed > kListedMax) list += ", and " + std::to_string(listed - kListedMax) + " more";
  error.message = "No replica can serve this model now: " + list + ".";
  error.retry_after = control::no_replica_wait(earliest, now, *scope.worker.rng);
  return error;
}

}  // namespace penstock::gateway
