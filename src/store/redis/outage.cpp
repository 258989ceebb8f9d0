#include "store/redis/outage.h"

#include <string_view>

namespace penstock::store::redis {

std::string_view name(OutageReason reason) noexcept {
  switch (reason) {
    case OutageReason::kOpen: return "open";
    case OutageReason::kAway: return "away";
    case OutageReason::kTimedOut: return "timed_out";
    case OutageReason::kDeadline: return "deadline";
    case OutageReason::kFull: return "full";
    case OutageReason::kRefused: return "refused";
    case OutageReason::kLoading: return "loading";
    case OutageReason::kReadOnly: return "read_only";
    case OutageReason::kNoMemory: return "no_memory";
    case OutageReason::kBusy: return "busy";
    case OutageReason::kClusterDown: return "cluster_down";
    case OutageReason::kMalformed: return "malformed";
    case OutageReason::kMismatched: return "mismatched";
    case OutageReason::kScript: return "script";
    case OutageReason::kClosing: return "closing";
  }
  return "away";
}

}  // namespace penstock::store::redis
