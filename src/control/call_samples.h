#pragma once

#include <cstdint>
#include <optional>

#include "base/outcome.h"
#include "base/units.h"
#include "control/breaker.h"

namespace penstock::control {

// How an attempt's connection fared, as far as it matters beside its outcome.
enum class Reach : std::uint8_t {
  kReached,
  kUnreachable,  // refused, not connected in time, or reset before the reply head
};

// The sample that an ended attempt is, or nullopt for a neutral end. Without a slow-call limit the
// breaker judges errors only, and time-outs are none.
[[nodiscard]] std::optional<Sample> sample_of(Outcome outcome, Reach reach,
                                              std::optional<Duration> slow_call) noexcept;

// When a unary call with so much output becomes slow: slow_call + 20 ms × output tokens.
[[nodiscard]] Duration unary_slow_after(Duration slow_call, std::uint64_t output_tokens) noexcept;

// Turns the course of one streaming attempt into samples: one until the first content, and at most
// one more after it. A stream is slow at the instant that slow_call passes without content, or
// between contents; it is good at first content; a later stall or cut is one more bad sample.
class StreamSamples {
 public:
  // since: when the attempt had its connection; from then on it is the replica that is waited for.
  StreamSamples(std::optional<Duration> slow_call, TimePoint since) noexcept
      : slow_call_(slow_call), quiet_since_(since) {}

  [[nodiscard]] std::optional<Sample> on_content(TimePoint now) noexcept;
  // When to call on_time(); nullopt when no slow sample can come any more.
  [[nodiscard]] std::optional<TimePoint> slow_at() const noexcept;
  [[nodiscard]] std::optional<Sample> on_time(TimePoint now) noexcept;
  [[nodiscard]] std::optional<Sample> on_end(Outcome outcome, Reach reach) noexcept;

 private:
  enum class Stage : std::uint8_t {
    kUnjudged,  // no content, no sample
    kSlow,      // no content yet, and sampled as slow
    kFlowing,   // content; there may be one more sample
    kDone,
  };
  std::optional<Duration> slow_call_;
  TimePoint quiet_since_;
  Stage stage_ = Stage::kUnjudged;
};

}  // namespace penstock::control
