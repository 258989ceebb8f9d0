#include "control/call_samples.h"

#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "base/outcome.h"
#include "base/units.h"
#include "control/breaker.h"

namespace penstock::control {

std::optional<Sample> sample_of(Outcome outcome, Reach reach,
                                std::optional<Duration> slow_call) noexcept {
  const Sample bad = reach == Reach::kReached ? Sample::kBad : Sample::kUnreachable;
  switch (outcome) {
    case Outcome::kOk: return Sample::kGood;
    case Outcome::kFault: return bad;
    case Outcome::kSlow: return slow_call ? std::optional(Sample::kSlow) : std::nullopt;
    case Outcome::kTimeout: return slow_call ? std::optional(bad) : std::nullopt;
    case Outcome::kClientError:
    case Outcome::kOverload:
    case Outcome::kCancelled:
    case Outcome::kDeadline:
    case Outcome::kLocal: return std::nullopt;
  }
  PENSTOCK_ASSERT(false);
}

Duration unary_slow_after(Duration slow_call, std::uint64_t output_tokens) noexcept {
  constexpr Duration kPerToken = 20ms;
  constexpr std::uint64_t kTokensMax = 10'000'000;  // keeps the product far from its end
  return slow_call + kPerToken * static_cast<std::int64_t>(
                                     output_tokens < kTokensMax ? output_tokens : kTokensMax);
}

std::optional<TimePoint> StreamSamples::slow_at() const noexcept {
  if (!slow_call_ || stage_ == Stage::kSlow || stage_ == Stage::kDone) return std::nullopt;
  return quiet_since_ + *slow_call_;
}

std::optional<Sample> StreamSamples::on_time(TimePoint now) noexcept {
  const std::optional<TimePoint> due = slow_at();
  if (!due || now < *due) return std::nullopt;
  stage_ = stage_ == Stage::kUnjudged ? Stage::kSlow : Stage::kDone;
  return Sample::kSlow;
}

// Looks at the time first: a late timer must not make a slow stream good.
std::optional<Sample> StreamSamples::on_content(TimePoint now) noexcept {
  const std::optional<Sample> slow = on_time(now);
  quiet_since_ = now;
  if (stage_ == Stage::kDone) return slow;
  const bool unjudged = stage_ == Stage::kUnjudged;
  stage_ = Stage::kFlowing;
  return unjudged ? std::optional(Sample::kGood) : slow;
}

std::optional<Sample> StreamSamples::on_end(Outcome outcome, Reach reach) noexcept {
  const Stage was = stage_;
  stage_ = Stage::kDone;
  if (was == Stage::kSlow || was == Stage::kDone) return std::nullopt;
  const std::optional<Sample> sample = sample_of(outcome, reach, slow_call_);
  if (was == Stage::kFlowing && sample == Sample::kGood) return std::nullopt;
  return sample;
}

}  // namespace penstock::control
