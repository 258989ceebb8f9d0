#include "gateway/token_quota.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "control/attempt_failure.h"
#include "control/bucket_chain.h"
#include "control/rate_bucket.h"
#include "control/token_hold.h"
#include "dialect/openai/output_ceiling.h"
#include "dialect/surface.h"
#include "gateway/caller_buckets.h"
#include "gateway/request_scope.h"
#include "gateway/shared_meter.h"

namespace penstock::gateway {
namespace {

bool has_output(dialect::Surface surface) noexcept {
  return surface != dialect::Surface::kEmbeddings;
}

std::uint64_t smallest_capacity(const LimitedCaller& callers) noexcept {
  std::uint64_t smallest = UINT64_MAX;
  for (std::size_t i = 0; i < callers.count; ++i)
    smallest = std::min(smallest, callers.limits[i]->tokens->burst());
  return smallest;
}

// The hold of this call.
std::uint64_t hold_of(const RequestScope& scope, const LimitedCaller& callers) {
  control::TokenDemand demand{.body_bytes = scope.body.size(), .choices = 1};
  if (!has_output(scope.surface)) return control::tokens_held(demand);
  if (scope.output_held) {  // the workload's rule has read it already
    demand.output_max = *scope.output_held;
    return control::tokens_held(demand);
  }
  demand.choices = dialect::openai::read_answers(scope.request.ruled);
  const std::optional<std::uint64_t> said =
      dialect::openai::read_output_ceiling(scope.request.ruled);
  demand.output_max = said.value_or(kOutputAssumed);
  const std::uint64_t hold = control::tokens_held(demand);
  if (said) return hold;
  const std::uint64_t input = control::estimated_input(demand.body_bytes);
  return std::max(input, std::min(hold, smallest_capacity(callers)));
}

// A provider that spoke of an error before anything else took nothing for it.
bool is_free_error(ErrorCode code) noexcept {
  return code == ErrorCode::kUpstreamError || code == ErrorCode::kUpstreamRateLimited ||
         code == ErrorCode::kUpstreamOverloaded;
}

std::uint64_t used_of(const RequestScope& scope, const control::AttemptFailure* failure) noexcept {
  if (scope.usage.told()) return scope.usage.input.value_or(0) + scope.usage.output.value_or(0);
  if (failure != nullptr && failure->stage == control::AttemptStage::kConnecting) return 0;
  const std::uint64_t input = control::estimated_input(scope.body.size());
  const std::uint64_t output = has_output(scope.surface) ? scope.relayed_tokens : 0;
  if (scope.said.status >= 300) return 0;
  if (failure == nullptr || output != 0) return input + output;
  if (is_free_error(failure->error.code)) return 0;
  // Refused or reset before its reply began: nothing was done yet.
  if (scope.said.status == 0 && failure->error.code == ErrorCode::kUpstreamUnavailable) return 0;
  return input;
}

}  // namespace

Result<std::uint64_t> tokens_to_hold(const RequestScope& scope, const LimitedCaller& callers) {
  const std::uint64_t hold = hold_of(scope, callers);
  for (std::size_t i = 0; i < callers.count; ++i)
    if (hold > callers.limits[i]->tokens->burst())
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("The call may use {} tokens, which the {} is never allowed at once.",
                              hold, callers.whose[i]));
  return hold;
}

Result<void> take_tokens(RequestScope& scope) {
  const LimitedCaller callers = limited(scope.caller, Metered::kTokens);
  if (callers.count == 0) return {};
  PENSTOCK_TRY(const std::uint64_t hold, tokens_to_hold(scope, callers));
  const control::ChainTake take = chain_of(callers, Metered::kTokens).take(scope.now(), hold);
  if (take.end != control::TakeEnd::kTaken)
    return rate_refusal(callers, Metered::kTokens, take.refused_by, take.wait);
  scope.tokens = {.held = hold};
  return {};
}

void count_tokens(RequestScope& scope, const control::AttemptFailure* failure) noexcept {
  if (scope.tokens.held != 0) scope.tokens.used += used_of(scope, failure);
}

void settle_tokens(RequestScope& scope) noexcept {
  const HeldTokens tokens = std::exchange(scope.tokens, {});
  if (tokens.held == 0) return;
  const std::uint64_t back = tokens.held - std::min(tokens.used, tokens.held);
  const std::uint64_t charge = tokens.used - std::min(tokens.used, tokens.held);
  const LimitedCaller callers = limited(scope.caller, Metered::kTokens);
  control::BucketChain chain = tokens.from == HeldTokens::From::kEmergency
                                   ? emergency_chain(callers, Metered::kTokens)
                                   : chain_of(callers, Metered::kTokens);
  chain.undo(back);  // of what is shared: so that headers tell of it before the store does
  chain.charge(scope.now(), charge);
  if (tokens.from == HeldTokens::From::kShared && tokens.held != tokens.used)
    settle_shared(scope, callers, {.back = back, .charge = charge, .epoch = tokens.epoch});
}

}  // namespace penstock::gateway
