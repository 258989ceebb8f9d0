#include "gateway/no_replica.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
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
  std::set<std::pair<std::size_t, std::size_t>> seen;  // provider, replica
  for (const fleet::Verdict& verdict : verdicts) {
    const fleet::Target& target = scope.route.targets()[verdict.target];
    const fleet::Provider& provider = scope.snapshot->providers[target.provider];
    const std::optional<TimePoint> back = fleet::back_at(provider, verdict.replica, now);
    if (back && (!earliest || *back < *earliest)) earliest = back;
    if (!seen.emplace(target.provider, verdict.replica).second) continue;  // a fallback too
    if (++listed > kListedMax) continue;
    if (!list.empty()) list += ", ";
    list += provider.name + " " + provider.replicas[verdict.replica].name + ": ";
    list += fleet::name(verdict.standing);
  }
  if (listed > kListedMax) list += ", and " + std::to_string(listed - kListedMax) + " more";
  // With every weight at 0 there is none to name; the table's sentence will do.
  if (!list.empty()) error.message = "No replica can serve this model now: " + list + ".";
  error.retry_after = control::no_replica_wait(earliest, now, *scope.worker.rng);
  return error;
}

}  // namespace penstock::gateway
