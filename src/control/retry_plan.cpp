#include "control/retry_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "base/assert.h"
#include "base/error.h"
#include "base/units.h"
#include "control/attempt_failure.h"
#include "control/decision.h"
#include "control/weighted_pick.h"

namespace penstock::control {
namespace {

// Less is not worth an attempt (docs/reference/endpoints.md).
constexpr Duration kWorthwhile = 50ms;

constexpr std::uint64_t bit(std::size_t target) noexcept { return std::uint64_t{1} << target; }

}  // namespace

RetryPlan::RetryPlan(const Inputs& inputs) : in_(inputs) {
  PENSTOCK_ASSERT(in_.targets.size() <= kTargetsMax);
}

Decision RetryPlan::begin(TimePoint now, std::optional<std::size_t> probe) {
  if (probe) {
    given_up_ |= bit(*probe);
    if (auto first = go({*probe, Place::kUntried}, 0s, now)) return *std::move(first);
  }
  if (auto first = anywhere(Here::kGivenUp, now)) return *std::move(first);
  return finish();
}

Decision RetryPlan::on_failure(AttemptFailure failure, TimePoint now) {
  const FailureKind kind = kind_of(failure);
  told_wait_ = failure.error.retry_after;
  last_error_ = std::make_unique<Error>(std::move(failure.error));
  ++failures_here_;
  if (committed_ || kind == FailureKind::kFinal || attempts_ >= in_.config.attempts_max)
    return finish();
  if (auto here = at_this_target(kind, now)) return *std::move(here);
  if (auto next = elsewhere(kind, now)) return *std::move(next);
  return finish();
}

Decision RetryPlan::on_unplaced(TimePoint now) {
  --attempts_;
  if (failures_here_ == 0) tried_ &= ~bit(target_);
  given_up_ |= bit(target_);
  if (auto next = anywhere(Here::kGivenUp, now)) return *std::move(next);
  return finish();
}

// Untried replicas come first, at once; then the same one, as far as the failure allows it.
std::optional<Decision> RetryPlan::at_this_target(FailureKind kind, TimePoint now) {
  if (kind == FailureKind::kCredentials) {
    give_up_provider();
    return std::nullopt;
  }
  if (kind == FailureKind::kContextLength) return std::nullopt;
  if (in_.route.standing(target_, now) == TargetStanding::kEligible)
    return go({target_, Place::kUntried}, 0s, now);
  return same_replica(kind, now);
}

std::optional<Decision> RetryPlan::same_replica(FailureKind kind, TimePoint now) {
  if (kind == FailureKind::kSilent || kind == FailureKind::kModelMissing) return std::nullopt;
  if (failures_here_ >= 2 || !in_.route.can_repeat(target_, now)) return std::nullopt;
  if (kind == FailureKind::kBroken) return go({target_, Place::kSame}, backoff(), now);
  if (told_wait_) {
    if (*told_wait_ > in_.config.wait_max) return std::nullopt;
    return go({target_, Place::kSame}, *told_wait_, now);
  }
  return std::nullopt;
}

std::optional<Decision> RetryPlan::elsewhere(FailureKind kind, TimePoint now) {
  given_up_ |= bit(target_);
  const std::size_t here = target_;
  if (kind == FailureKind::kContextLength) {
    if (std::exchange(context_fallback_used_, true)) return std::nullopt;
    if (auto next = next_target(TargetRole::kFallback, TargetStanding::kEligible, now)) return next;
    return next_target(TargetRole::kFallback, TargetStanding::kLastResort, now);
  }
  const bool at_all = kind != FailureKind::kCredentials;
  if (auto next = anywhere(at_all ? Here::kLastResort : Here::kGivenUp, now)) return next;
  // Load without a word on how long it lasts: with nowhere else to go, once more after a backoff.
  if (kind != FailureKind::kLoad || told_wait_ || failures_here_ >= 2) return std::nullopt;
  if (!in_.route.can_repeat(here, now)) return std::nullopt;
  return go({here, Place::kSame}, backoff(), now);
}

// The next target, else the fallback chain; what is a last resort only after all that is eligible.
std::optional<Decision> RetryPlan::anywhere(Here here, TimePoint now) {
  const std::size_t current = target_;
  for (const TargetStanding standing : {TargetStanding::kEligible, TargetStanding::kLastResort}) {
    if (standing == TargetStanding::kLastResort && here == Here::kLastResort &&
        in_.route.standing(current, now) == standing) {
      if (auto next = go({current, Place::kUntried}, 0s, now)) return next;
    }
    for (const TargetRole role : {TargetRole::kWeighted, TargetRole::kFallback})
      if (auto next = next_target(role, standing, now)) return next;
  }
  return std::nullopt;
}

// A target is gone to once. One that cannot be started, for time or credit, is passed over.
std::optional<Decision> RetryPlan::next_target(TargetRole role, TargetStanding standing,
                                               TimePoint now) {
  while (const std::optional<std::size_t> target = draw(role, standing, now)) {
    given_up_ |= bit(*target);
    if (auto decision = go({*target, Place::kUntried}, 0s, now)) return decision;
  }
  return std::nullopt;
}

std::optional<std::size_t> RetryPlan::draw(TargetRole role, TargetStanding standing,
                                           TimePoint now) const {
  const auto usable = [&](std::size_t target) {
    return in_.targets[target].role == role && !given_up(target) &&
           in_.route.standing(target, now) == standing;
  };
  const auto indices = std::views::iota(std::size_t{0}, in_.targets.size());
  if (role == TargetRole::kFallback) {
    const auto first = std::ranges::find_if(indices, usable);
    return first == indices.end() ? std::nullopt : std::optional(*first);
  }
  std::array<std::uint32_t, kTargetsMax> weights;  // each target is asked once
  for (const std::size_t target : indices)
    weights[target] = usable(target) ? in_.targets[target].weight : 0U;
  return weighted_pick(
      std::span(weights).first(in_.targets.size()), [](std::uint32_t weight) { return weight; },
      in_.rng);
}

// The one place where an attempt is decided on and paid for.
std::optional<Decision> RetryPlan::go(Start start, Duration wait, TimePoint now) {
  if (attempts_ > 0 && !fits(start.target, wait, now)) return std::nullopt;
  if (provider_in(tried_, start.target)) {
    if (!in_.route.take_credit(start.target, now)) return std::nullopt;
  } else if (!provider_in(counted_, start.target)) {
    in_.route.first_attempt(start.target, now);
    counted_ |= bit(start.target);
  }
  if (start.target != target_ || attempts_ == 0) failures_here_ = 0;
  target_ = start.target;
  tried_ |= bit(target_);
  ++attempts_;
  if (wait > 0s) return SleepUntil{now + wait, start};
  return start;
}

bool RetryPlan::fits(std::size_t target, Duration wait, TimePoint now) const {
  const Duration left = in_.deadline - now;
  return wait + std::max(in_.route.usual_first_content(target, now), kWorthwhile) <= left;
}

bool RetryPlan::provider_in(std::uint64_t targets, std::size_t target) const noexcept {
  for (std::size_t i = 0; i < in_.targets.size(); ++i)
    if ((targets >> i & 1) != 0 && in_.targets[i].provider == in_.targets[target].provider)
      return true;
  return false;
}

// Full jitter: uniform in [0, min(cap, base × 2^(n−1))) before the n-th retry.
Duration RetryPlan::backoff() const {
  Duration bound = in_.config.backoff_base;
  for (std::uint32_t n = 1; n < attempts_ && bound < in_.config.backoff_cap; ++n) bound *= 2;
  bound = std::min(bound, in_.config.backoff_cap);
  return Duration(
      in_.rng.below(static_cast<std::uint64_t>(std::max<Duration::rep>(1, bound.count()))));
}

void RetryPlan::give_up_provider() noexcept {
  for (std::size_t i = 0; i < in_.targets.size(); ++i)
    if (in_.targets[i].provider == in_.targets[target_].provider) given_up_ |= bit(i);
}

}  // namespace penstock::control
