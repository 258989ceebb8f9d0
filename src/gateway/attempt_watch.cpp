#include "gateway/attempt_watch.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <ratio>

#include "base/outcome.h"
#include "base/units.h"
#include "control/balancers.h"
#include "control/breaker.h"
#include "control/call_kind.h"
#include "control/call_samples.h"
#include "control/peak_ewma.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "fleet/selection.h"
#include "gateway/worker.h"
#include "json/log_line.h"
#include "llm/usage.h"

namespace penstock::gateway {

using control::Reach;
using control::Sample;

AttemptWatch::AttemptWatch(Worker& worker, const fleet::Provider& provider,
                           const fleet::Placement& placement, control::CallKind kind, Bytes request)
    : worker_(worker),
      provider_(provider),
      index_(placement.replica),
      replica_(provider.state->replicas[placement.replica]),
      generation_(placement.generation),
      kind_(kind),
      request_(request),
      began_(now()),
      timer_(worker.loop.timers(), &AttemptWatch::on_timer, this) {}

void AttemptWatch::learn_times(TimePoint at) {
  times().usual.observe(at - began_);
  times().cost.observe(control::per_size(at - began_, request_), at);
}

void AttemptWatch::connected() {
  began_ = now();
  if (streamed()) samples_.emplace(provider_.breaker.slow_call, began_);
  if (provider_.balance == control::Balance::kPeakEwma) age_.emplace(times().cost.cost(began_));
  arm();
}

void AttemptWatch::content() {
  const TimePoint at = now();
  if (!content_seen_) {
    content_seen_ = true;
    age_.reset();
    if (streamed()) learn_times(at);
  }
  if (samples_) take(samples_->on_content(at), at);
}

void AttemptWatch::end(Outcome outcome, Reach reach, const llm::Usage& usage) {
  timer_.disarm();
  age_.reset();
  const TimePoint at = now();
  if (outcome == Outcome::kFault || outcome == Outcome::kTimeout) {
    times().cost.observe_fault(at);
  } else if (outcome == Outcome::kOk && !streamed()) {
    learn_times(at);
  }
  const bool judged_as_stream = samples_ && reach == Reach::kReached;
  take(
      judged_as_stream ? samples_->on_end(outcome, reach) : unary_sample(outcome, reach, usage, at),
      at);
}

std::optional<Sample> AttemptWatch::unary_sample(Outcome outcome, Reach reach,
                                                 const llm::Usage& usage, TimePoint at) const {
  const std::optional<Duration>& slow_call = provider_.breaker.slow_call;
  if (outcome == Outcome::kOk && slow_call) {
    const Duration limit = control::unary_slow_after(*slow_call, usage.output.value_or(0));
    if (at - began_ > limit) return Sample::kSlow;
  }
  return control::sample_of(outcome, reach, slow_call);
}

void AttemptWatch::take(std::optional<Sample> sample, TimePoint at) {
  if (!sample) return;
  if (const auto state = replica_.breaker.sample(provider_.breaker, *sample, generation_, at))
    tell(*state);
}

void AttemptWatch::tell(control::BreakerState state) {
  const bool open = state == control::BreakerState::kOpen;
  json::LogLine(open ? json::LogLevel::kWarn : json::LogLevel::kInfo,
                open ? "breaker opened" : "breaker closed")
      .with("provider", provider_.name)
      .with("replica", provider_.replicas[index_].name)
      .with("generation", replica_.breaker.generation())
      .write_to(worker_.log);
}

// For the earliest moment at which time alone says something. Content moves that away without
// touching the timer: it looks again when it fires.
void AttemptWatch::arm() {
  TimePoint due = TimePoint::max();
  if (samples_) due = samples_->slow_at().value_or(due);
  if (age_) {
    const double factor = control::size_factor(request_);
    const auto age = std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::nano>(
        static_cast<double>(age_->due().count()) * factor));
    due = std::min(due, began_ + age);
  }
  if (due != TimePoint::max()) timer_.arm(due);
}

void AttemptWatch::on_timer(void* self) noexcept {
  auto& watch = *static_cast<AttemptWatch*>(self);
  const TimePoint at = watch.now();
  if (watch.samples_) watch.take(watch.samples_->on_time(at), at);
  const Duration age = control::per_size(at - watch.began_, watch.request_);
  if (watch.age_ && watch.age_->reached(age)) watch.times().cost.observe(age, at);
  watch.arm();
}

}  // namespace penstock::gateway
