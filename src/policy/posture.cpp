#include "policy/posture.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/error_code.h"
#include "base/principal.h"

namespace penstock::policy {
namespace {

using enum Failure;
using enum Posture;
constexpr auto kNoCode = ErrorCode::kInternal;
constexpr auto kLater = Built::kLater;

constexpr std::array<PostureRow, 24> kTable{{
    {kRuleUnreadable,
     "a rule cannot tell what the provider would read (a member twice, in another case, in another "
     "form)",
     kClosed, kClosed, ErrorCode::kInvalidRequest, "rejections_total{stage=policy}, audit log",
     "what is judged must be what is done"},
    {kRouteBarred, "a route leads to a provider that is barred to the caller", kClosed, kClosed,
     ErrorCode::kProviderNotAllowed, "log `request failed`", "asked again at every attempt"},
    {kSystemPromptNoPlace, "an enforced system prompt has no place in the request", kClosed,
     kClosed, ErrorCode::kInvalidRequest, "rejections_total{stage=policy}, audit log",
     "the request would go out without it"},
    {kRedactorFailed, "the redactor fails: error, time-out, oversize, a shape it does not know",
     kClosed, kClosed, ErrorCode::kRedactionUnavailable,
     "rejections_total, streams_total{end=error_event}", "a leak cannot be recalled"},
    {kTokenInvalid, "a token's signature, algorithm, issuer, audience or times", kClosed, kClosed,
     ErrorCode::kUnauthenticated, "rejections_total{stage=identify}", "never negotiable"},
    {kKeySetAway, "the key set cannot be fetched, the token's key is known", kLastGood, kLastGood,
     ErrorCode::kStoreUnavailable, "age of the key set", "static stability, until auth.jwt.keep"},
    {kKeyUnknown, "the key set cannot be fetched, the token's key is not known", kClosed, kClosed,
     ErrorCode::kUnauthenticated, "rejections_total{stage=identify}",
     "after one bounded refresh: no oracle, no flood"},
    {kQuotaStoreAway, "the store of rates and tokens is away, slow or has lost its data", kTighter,
     kTighter, ErrorCode::kRateLimitExceeded,
     "store_degraded, x-penstock-degraded; lost data: rejections_total",
     "fairness without an outage"},
    {kCeilingStoreAway, "the store of in-flight ceilings is away, slow or has lost its data",
     kTighter, kTighter, ErrorCode::kOverloaded,
     "store_degraded, x-penstock-degraded; lost data: rejections_total",
     "providers stay protected"},
    {kConfigInvalid, "a changed configuration is not valid", kLastGood, kLastGood, kNoCode,
     "the reply to the PATCH, the log",
     "what ran goes on; at the start there is nothing to go on with"},
    {kSecretEmpty, "a secret, a key or a system prompt is absent or empty", kNotStarted,
     kNotStarted, kNoCode, "exit code 78", "an empty secret is everybody's"},
    {kAuditLogFull, "the audit log takes no more lines", kOpen, kOpen, kNoCode,
     "audit_log_dropped_total", "the decision itself does not depend on it"},
    {kLogsFull, "the access log or the messages take no more lines, metrics are not scraped", kOpen,
     kOpen, kNoCode, "access_log_dropped_total, log_dropped_total",
     "telemetry never stops serving"},
    {kNamesUnresolved, "a provider's name cannot be resolved", kLastGood, kLastGood,
     ErrorCode::kUpstreamUnavailable, "last_error of the replica",
     "an address that served is still a good guess"},
    {kUpstreamTls, "a provider's certificate does not verify", kClosed, kClosed,
     ErrorCode::kUpstreamUnavailable, "last_error of the replica", "never negotiable"},
    {kDescriptorsOut, "descriptors run out", kClosed, kClosed, ErrorCode::kOverloaded,
     "process_open_fds", "new clients wait in the kernel's queue, calls are refused"},
    {kMemoryFull, "the memory for bodies is full", kClosed, kClosed, ErrorCode::kOverloaded,
     "rejections_total{stage=body}", "nothing is unbounded"},
    {kClockStepped, "the machine's clock is set, forward or back", kOpen, kOpen, kNoCode,
     "nothing here: watch the service that sets it",
     "rates and deadlines run on a clock that nobody sets, shared limits on Redis' own; keys and "
     "tokens expire by the date as it stands"},
    {kBudgetStoreAway, "the store of budgets is away", kBounded, kClosed,
     ErrorCode::kStoreUnavailable, "later", "staff can be billed afterwards, strangers cannot",
     kLater},
    {kPriceMissing, "a model has no price", kBounded, kClosed, ErrorCode::kPriceUnknown, "later",
     "unpriced work is unbilled work", kLater},
    {kJournalFull, "the ledger's journal cannot be written", kOpen, kClosed,
     ErrorCode::kStoreUnavailable, "later", "billing must not stop staff", kLater},
    {kLedgerAway, "the ledger's database is away", kOpen, kOpen, kNoCode, "later",
     "the journal takes the backlog", kLater},
    {kCacheAway, "the response cache is away", kOpen, kOpen, kNoCode, "later",
     "it costs latency only", kLater},
    {kTokenizerFailed, "tokens cannot be counted", kTighter, kTighter, kNoCode, "later",
     "an estimate errs towards holding more", kLater},
}};

static_assert(
    [] {
      for (std::size_t i = 0; i < kTable.size(); ++i)
        if (std::to_underlying(kTable[i].failure) != i) return false;
      return true;
    }(),
    "the rows stand in the order of the enum");

const PostureRow& row_of(Failure failure) noexcept {
  const auto index = std::to_underlying(failure);
  PENSTOCK_ASSERT(index < kTable.size());
  return kTable[index];
}

}  // namespace

std::string_view name(Posture posture) noexcept {
  switch (posture) {
    case kOpen: return "open";
    case kClosed: return "closed";
    case kTighter: return "tighter limit";
    case kLastGood: return "last good";
    case kBounded: return "bounded, then closed";
    case kNotStarted: return "not taken";
  }
  return {};
}

std::span<const PostureRow> posture_table() noexcept { return kTable; }

Posture posture(Failure failure, Tier tier) noexcept {
  const PostureRow& row = row_of(failure);
  return tier == Tier::kInternal ? row.internal : row.external;
}

ErrorCode refusal_code(Failure failure) noexcept {
  const ErrorCode code = row_of(failure).code;
  PENSTOCK_ASSERT(code != kNoCode);
  return code;
}

}  // namespace penstock::policy
