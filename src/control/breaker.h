#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "base/describe.h"
#include "base/field.h"
#include "base/units.h"
#include "control/tagged_count.h"

namespace penstock::control {

struct BreakerConfig {                      // YAML: providers.*.breaker
  std::optional<Duration> slow_call = 20s;  // nullopt: off, errors only
  Ratio rate{500'000};                      // of bad and slow among all samples
  std::uint32_t samples_min = 20;
  Duration window = 30s;     // at least 100 ms
  Duration open_for = 30s;   // at least 100 ms
  Ratio half_open{100'000};  // the share of requests that probe; above 0
};

constexpr auto fields(Describe<BreakerConfig>) {
  using C = BreakerConfig;
  return std::tuple{
      field("slow_call", &C::slow_call, or_word("off", range(1ms, 1h)), Reload::kLive,
            "A call without content for this long counts as slow, beside failed ones; off counts "
            "errors only, and time-outs are none."),
      field("rate", &C::rate, range(Ratio{10'000}, Ratio{1'000'000}), Reload::kLive,
            "The share of failed and slow calls at which the breaker opens."),
      field("samples_min", &C::samples_min, range(1, 1'000'000), Reload::kLive,
            "Fewer calls in the window never open it, five unreachable in a row aside."),
      field("window", &C::window, range(100ms, 1h), Reload::kLive,
            "How far back calls are looked at."),
      field("open_for", &C::open_for, range(100ms, 1h), Reload::kLive,
            "How long an open breaker sends nothing."),
      field("half_open", &C::half_open, range(Ratio{10'000}, Ratio{1'000'000}), Reload::kLive,
            "After that, the share of requests that probe the replica; three good ones in a row "
            "close the breaker."),
  };
}

// In the order of the gauge `provider_status`.
enum class BreakerState : std::uint8_t { kClosed, kHalfOpen, kOpen };

// One judgement about a replica. Whatever is neutral is no sample.
enum class Sample : std::uint8_t {
  kGood,
  kBad,
  kSlow,
  kUnreachable,  // bad too, and five in a row open at once: a refused connection or a reset
};

class Breaker;

// One of the few probes of a half-open breaker; gone again when the attempt ends, however it ends.
// Move-only. Says nothing about the outcome: that is a sample's work.
class ProbeToken {
 public:
  ProbeToken(ProbeToken&& other) noexcept : breaker_(std::exchange(other.breaker_, nullptr)) {}
  ProbeToken& operator=(ProbeToken&& other) noexcept {
    std::swap(breaker_, other.breaker_);
    return *this;
  }
  ~ProbeToken();

 private:
  friend class Breaker;
  explicit ProbeToken(Breaker& breaker) noexcept : breaker_(&breaker) {}
  Breaker* breaker_;
};

// The in-band guard of one replica, shared by all workers. One word holds generation, state and
// time; every change of state is a compare-and-swap that begins a new generation, with which the
// window is empty. The config comes with each call, so that a live change keeps the state.
// source: docs/reference/endpoints.md.
class Breaker {
 public:
  static constexpr std::uint32_t kProbesMax = 4;  // at once

  // An open breaker whose time is up reads as half-open.
  [[nodiscard]] BreakerState state(TimePoint now) const noexcept;
  // An attempt notes it when it begins (after its probe token, if it has one) and hands it in with
  // its samples.
  [[nodiscard]] std::uint32_t generation() const noexcept;
  // Samples of an older generation are ignored. The state that this one brought about, if any: of
  // several threads one is told.
  std::optional<BreakerState> sample(const BreakerConfig& config, Sample sample,
                                     std::uint32_t generation, TimePoint now) noexcept;

  // The replica answered, whatever that will be worth: unreachable calls are no longer in a row.
  void answered(std::uint32_t generation) noexcept { unreachable_.clear(generation); }

  // Call once for each request that has this replica among its candidates: of those the 1st,
  // (n+1)th, … become probes, n = round(1 / half_open), if one of the 4 places is free. nullopt
  // unless half-open.
  [[nodiscard]] std::optional<ProbeToken> probe_in_turn(const BreakerConfig& config,
                                                        TimePoint now) noexcept;
  // For a request with nothing else eligible: any free place.
  [[nodiscard]] std::optional<ProbeToken> probe_at_once(TimePoint now) noexcept;

  // kOpen: when it becomes half-open.
  [[nodiscard]] std::optional<TimePoint> open_until(TimePoint now) const noexcept;
  // When it last closed after having been open or reset: the beginning of slow start.
  [[nodiscard]] std::optional<TimePoint> closed_at() const noexcept;
  // The share of slow samples in the window; 0 below samples_min, or unless closed.
  [[nodiscard]] Ratio slow_rate(const BreakerConfig& config, TimePoint now) const noexcept;
  // The share of bad and slow samples, likewise.
  [[nodiscard]] Ratio failure_rate(const BreakerConfig& config, TimePoint now) const noexcept;
  // An operator's word: closed, empty, into slow start.
  void reset(TimePoint now) noexcept;

  // Probes that hold a token now.
  [[nodiscard]] std::uint32_t probes() const noexcept { return probes_.load(); }

 private:
  friend class ProbeToken;
  static constexpr std::uint32_t kSlices = 10;
  struct Word {                    // packed into 64 bits
    std::uint32_t generation = 0;  // 24 bits
    BreakerState state = BreakerState::kClosed;
    // Milliseconds, 38 bits: open: until when; closed: since when, 0 for ever. Half-open: good
    // probes in a row.
    std::uint64_t payload = 0;
  };
  static Word unpacked(std::uint64_t word) noexcept;
  static std::uint64_t packed(const Word& word) noexcept;
  static Word after_probe(const BreakerConfig& config, Sample sample, const Word& word,
                          TimePoint now) noexcept;

  [[nodiscard]] Word settled(TimePoint now) noexcept;
  bool change(const Word& from, BreakerState state, std::uint64_t payload) noexcept;
  std::optional<BreakerState> sample_closed(const BreakerConfig& config, Sample sample, Word word,
                                            TimePoint now) noexcept;
  std::optional<BreakerState> sample_half_open(const BreakerConfig& config, Sample sample,
                                               Word word, TimePoint now) noexcept;
  [[nodiscard]] std::optional<ProbeToken> free_probe() noexcept;
  [[nodiscard]] Ratio rate_of(std::uint64_t part, std::uint64_t total,
                              const BreakerConfig& config) const noexcept;
  struct Counts {
    std::uint64_t total = 0;
    std::uint64_t bad = 0;
    std::uint64_t slow = 0;
  };
  [[nodiscard]] Counts counts(const BreakerConfig& config, const Word& word,
                              TimePoint now) const noexcept;

  std::atomic<std::uint64_t> word_ = 0;
  std::atomic<std::uint32_t> probes_ = 0;
  TaggedCount asked_;        // requests that had it among their candidates while half-open
  TaggedCount unreachable_;  // in a row
  SliceRing<kSlices> total_;
  SliceRing<kSlices> bad_;
  SliceRing<kSlices> slow_;
};

inline ProbeToken::~ProbeToken() {
  if (breaker_ != nullptr) breaker_->probes_.fetch_sub(1);
}

}  // namespace penstock::control
