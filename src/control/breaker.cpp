#include "control/breaker.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "base/units.h"

namespace penstock::control {
namespace {

constexpr std::uint64_t kGoodToClose = 3;
constexpr std::uint64_t kUnreachableToOpen = 5;
constexpr std::uint64_t kWhole = 1'000'000;
constexpr std::uint32_t kGenerationMask = 0xffffff;
constexpr int kPayloadBits = 38;
constexpr std::uint64_t kPayloadMask = (std::uint64_t{1} << kPayloadBits) - 1;

std::uint64_t ms(TimePoint at) noexcept {
  PENSTOCK_ASSERT(at.time_since_epoch().count() >= 0);
  return static_cast<std::uint64_t>(
      std::chrono::ceil<std::chrono::milliseconds>(at.time_since_epoch()).count());
}

TimePoint at_ms(std::uint64_t value) noexcept {
  return TimePoint(std::chrono::milliseconds(value));
}

std::uint32_t slice(const BreakerConfig& config, TimePoint now) noexcept {
  const Duration length = std::max(Duration(1ms), config.window / 10);
  return static_cast<std::uint32_t>(now.time_since_epoch() / length);
}

std::uint8_t era(std::uint32_t generation) noexcept {
  return static_cast<std::uint8_t>(generation);
}

}  // namespace

Breaker::Word Breaker::unpacked(std::uint64_t word) noexcept {
  return {.generation = static_cast<std::uint32_t>(word >> (kPayloadBits + 2)),
          .state = static_cast<BreakerState>(word >> kPayloadBits & 3),
          .payload = word & kPayloadMask};
}

std::uint64_t Breaker::packed(const Word& word) noexcept {
  return std::uint64_t{word.generation & kGenerationMask} << (kPayloadBits + 2) |
         static_cast<std::uint64_t>(word.state) << kPayloadBits | (word.payload & kPayloadMask);
}

BreakerState Breaker::state(TimePoint now) const noexcept {
  const Word word = unpacked(word_.load(std::memory_order_relaxed));
  if (word.state == BreakerState::kOpen && now >= at_ms(word.payload))
    return BreakerState::kHalfOpen;
  return word.state;
}

std::uint32_t Breaker::generation() const noexcept { return unpacked(word_.load()).generation; }

// The word as it is, after turning an open breaker whose time is up into a half-open one.
Breaker::Word Breaker::settled(TimePoint now) noexcept {
  Word word = unpacked(word_.load());
  if (word.state != BreakerState::kOpen || now < at_ms(word.payload)) return word;
  change(word, BreakerState::kHalfOpen, 0);
  return unpacked(word_.load());
}

// Begins a new generation; false when somebody else was first.
bool Breaker::change(const Word& from, BreakerState state, std::uint64_t payload) noexcept {
  std::uint64_t expected = packed(from);
  const Word to{.generation = from.generation + 1, .state = state, .payload = payload};
  return word_.compare_exchange_strong(expected, packed(to));
}

std::optional<BreakerState> Breaker::sample(const BreakerConfig& config, Sample sample,
                                            std::uint32_t generation, TimePoint now) noexcept {
  const Word word = unpacked(word_.load());
  if (word.generation != generation) return std::nullopt;
  switch (word.state) {
    case BreakerState::kClosed: return sample_closed(config, sample, word, now);
    case BreakerState::kHalfOpen: return sample_half_open(config, sample, word, now);
    case BreakerState::kOpen: return std::nullopt;
  }
  PENSTOCK_ASSERT(false);
}

std::optional<BreakerState> Breaker::sample_closed(const BreakerConfig& config, Sample sample,
                                                   Word word, TimePoint now) noexcept {
  const std::uint32_t current = slice(config, now);
  const std::uint8_t of = era(word.generation);
  total_.add(of, current);
  if (sample == Sample::kSlow) slow_.add(of, current);
  if (sample == Sample::kBad || sample == Sample::kUnreachable) bad_.add(of, current);
  bool trips = false;
  if (sample == Sample::kUnreachable) {
    trips = unreachable_.add(word.generation) >= kUnreachableToOpen;
  } else {
    unreachable_.clear(word.generation);
  }
  if (sample != Sample::kGood) {
    const Counts found = counts(config, word, now);
    trips = trips || (found.total >= config.samples_min &&
                      (found.bad + found.slow) * kWhole >= found.total * config.rate.ppm);
  }
  if (!trips || !change(word, BreakerState::kOpen, ms(now + config.open_for))) return std::nullopt;
  return BreakerState::kOpen;
}

Breaker::Word Breaker::after_probe(const BreakerConfig& config, Sample sample, const Word& word,
                                   TimePoint now) noexcept {
  if (sample != Sample::kGood)
    return {word.generation + 1, BreakerState::kOpen, ms(now + config.open_for)};
  if (word.payload + 1 >= kGoodToClose)
    return {word.generation + 1, BreakerState::kClosed, ms(now)};
  return {word.generation, BreakerState::kHalfOpen, word.payload + 1};
}

// Only probes carry the generation of a half-open breaker. Another probe may move the row of good
// ones meanwhile; then this one is judged against the new row.
std::optional<BreakerState> Breaker::sample_half_open(const BreakerConfig& config, Sample sample,
                                                      Word word, TimePoint now) noexcept {
  const std::uint32_t generation = word.generation;
  while (word.generation == generation) {
    std::uint64_t expected = packed(word);
    const Word after = after_probe(config, sample, word, now);
    if (word_.compare_exchange_strong(expected, packed(after)))
      return after.generation == generation ? std::nullopt : std::optional(after.state);
    word = unpacked(expected);
  }
  return std::nullopt;
}

std::optional<ProbeToken> Breaker::probe_in_turn(const BreakerConfig& config,
                                                 TimePoint now) noexcept {
  const Word word = settled(now);
  if (word.state != BreakerState::kHalfOpen) return std::nullopt;
  PENSTOCK_ASSERT(config.half_open.ppm > 0);
  const std::uint64_t every = (kWhole + config.half_open.ppm / 2) / config.half_open.ppm;
  const std::uint64_t turn = asked_.add(word.generation);
  if (every > 1 && turn % every != 1) return std::nullopt;
  return free_probe();
}

std::optional<ProbeToken> Breaker::probe_at_once(TimePoint now) noexcept {
  if (settled(now).state != BreakerState::kHalfOpen) return std::nullopt;
  return free_probe();
}

std::optional<ProbeToken> Breaker::free_probe() noexcept {
  std::uint32_t running = probes_.load();
  do {
    if (running >= kProbesMax) return std::nullopt;
  } while (!probes_.compare_exchange_weak(running, running + 1));
  return ProbeToken(*this);
}

std::optional<TimePoint> Breaker::open_until(TimePoint now) const noexcept {
  const Word word = unpacked(word_.load(std::memory_order_relaxed));
  if (word.state != BreakerState::kOpen || now >= at_ms(word.payload)) return std::nullopt;
  return at_ms(word.payload);
}

std::optional<TimePoint> Breaker::closed_at() const noexcept {
  const Word word = unpacked(word_.load(std::memory_order_relaxed));
  if (word.state != BreakerState::kClosed || word.payload == 0) return std::nullopt;
  return at_ms(word.payload);
}

Breaker::Counts Breaker::counts(const BreakerConfig& config, const Word& word,
                                TimePoint now) const noexcept {
  const std::uint32_t current = slice(config, now);
  const std::uint8_t of = era(word.generation);
  return {.total = total_.sum(of, current, kSlices - 1),
          .bad = bad_.sum(of, current, kSlices - 1),
          .slow = slow_.sum(of, current, kSlices - 1)};
}

Ratio Breaker::rate_of(std::uint64_t part, std::uint64_t total,
                       const BreakerConfig& config) const noexcept {
  if (total == 0 || total < config.samples_min) return Ratio{0};
  return Ratio{static_cast<std::uint32_t>(std::min(part, total) * kWhole / total)};
}

Ratio Breaker::slow_rate(const BreakerConfig& config, TimePoint now) const noexcept {
  const Word word = unpacked(word_.load());
  if (word.state != BreakerState::kClosed) return Ratio{0};
  const Counts found = counts(config, word, now);
  return rate_of(found.slow, found.total, config);
}

Ratio Breaker::failure_rate(const BreakerConfig& config, TimePoint now) const noexcept {
  const Word word = unpacked(word_.load());
  if (word.state != BreakerState::kClosed) return Ratio{0};
  const Counts found = counts(config, word, now);
  return rate_of(found.bad + found.slow, found.total, config);
}

void Breaker::reset(TimePoint now) noexcept {
  while (!change(unpacked(word_.load()), BreakerState::kClosed, ms(now))) {
  }
}

}  // namespace penstock::control
