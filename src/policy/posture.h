#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/error_code.h"
#include "base/principal.h"

// What becomes of requests when something that a decision rests on fails: one table, shown to
// operators in docs/operations/failure-policy.md (a test compares the two).
namespace penstock::policy {

enum class Posture : std::uint8_t {
  kOpen,        // served as if it were not there
  kClosed,      // refused with the row's code
  kTighter,     // served within a tighter local limit
  kLastGood,    // served by what was known before, until a stated age
  kBounded,     // served for a bounded time or amount, then refused
  kNotStarted,  // the process does not start, or the change is not taken
};

[[nodiscard]] std::string_view name(Posture posture) noexcept;

// Whether this version has it.
enum class Built : std::uint8_t { kNow, kLater };

enum class Failure : std::uint8_t {
  kRuleUnreadable,
  kRouteBarred,
  kSystemPromptNoPlace,
  kRedactorFailed,
  kTokenInvalid,
  kKeySetAway,
  kKeyUnknown,
  kQuotaStoreAway,
  kCeilingStoreAway,
  kConfigInvalid,
  kSecretEmpty,
  kAuditLogFull,
  kLogsFull,
  kNamesUnresolved,
  kUpstreamTls,
  kDescriptorsOut,
  kMemoryFull,
  kClockStepped,
  kBudgetStoreAway,
  kPriceMissing,
  kJournalFull,
  kLedgerAway,
  kCacheAway,
  kTokenizerFailed,
};

struct PostureRow {
  Failure failure;
  std::string_view what;  // fails
  Posture internal;       // for callers of this tier, …
  Posture external;       // … and of that
  ErrorCode code;         // of a refusal; kInternal where nothing is refused
  std::string_view told;  // where an operator sees it
  std::string_view why;
  Built built = Built::kNow;
};

// In the order of the enum.
[[nodiscard]] std::span<const PostureRow> posture_table() noexcept;

[[nodiscard]] Posture posture(Failure failure, Tier tier) noexcept;
// The code of its row, for those who refuse: asked here, so that the table says what is done.
[[nodiscard]] ErrorCode refusal_code(Failure failure) noexcept;

}  // namespace penstock::policy
