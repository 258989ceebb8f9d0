#include "control/peak_ewma.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ratio>

#include "base/rng.h"
#include "base/units.h"
#include "control/balancer.h"
#include "control/participants.h"

namespace penstock::control {
namespace {

constexpr Duration kTau = 10s;
constexpr Duration kFaultMin = 1s;
constexpr std::uint64_t kSizeUnit = 4096;

std::uint32_t ms(TimePoint now) noexcept {
  return static_cast<std::uint32_t>(
      std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count());
}

std::uint64_t whole_us(double us) noexcept {
  return static_cast<std::uint64_t>(std::clamp(us, 1.0, 4'294'967'295.0));
}

// The cost of `word` now, in µs. Time runs in 32 bits and may wrap; a writer that saw an earlier
// `now` than the word's must not read as 49 days.
double decayed_us(std::uint64_t word, std::uint32_t now_ms) noexcept {
  const auto passed = static_cast<std::int32_t>(now_ms - static_cast<std::uint32_t>(word));
  const double age_ms = std::max(passed, 0);
  const double tau_ms = std::chrono::duration<double, std::milli>(kTau).count();
  return static_cast<double>(word >> 32) * std::exp(-age_ms / tau_ms);
}

// After an observation of `us`.
double moved_us(std::uint64_t word, std::uint32_t now_ms, double us) noexcept {
  const double old_us = decayed_us(word, now_ms);
  const auto before = static_cast<double>(word >> 32);
  if (before == 0 || us > old_us) return us;
  return old_us + us * (1 - old_us / before);
}

// The cost and the queue it stands for. A replica without history and with a call under way loses
// against every other.
struct Load {
  bool blind = false;
  double value = 0;
  auto operator<=>(const Load&) const = default;
};

double ns(Duration cost) noexcept { return static_cast<double>(cost.count()); }

// Of the costs that are known among those that can be picked; 1 without any.
double median_ns(Candidates candidates, const TriedSet& tried) {
  std::array<double, kReplicasMax> known;
  std::size_t count = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (can_be_picked(candidates[i], i, tried) && candidates[i].cost)
      known[count++] = ns(*candidates[i].cost);
  if (count == 0) return 1;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(known.begin(), middle, known.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

Load load(const Candidate& candidate, double stand_in_ns) {
  const double calls = candidate.in_flight + 1.0;
  if (candidate.cost) return {.value = ns(*candidate.cost) * calls};
  return {.blind = candidate.in_flight > 0, .value = stand_in_ns * calls};
}

}  // namespace

void PeakEwma::observe(Duration cost, TimePoint now) noexcept {
  const std::uint32_t now_ms = ms(now);
  const double us = std::chrono::duration<double, std::micro>(cost).count();
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    next = whole_us(moved_us(word, now_ms, us)) << 32 | now_ms;
  } while (!word_.compare_exchange_weak(word, next, std::memory_order_relaxed));
}

void PeakEwma::observe_fault(TimePoint now) noexcept {
  const Duration known = cost(now).value_or(0s);
  observe(std::max(2 * known, kFaultMin), now);
}

std::optional<Duration> PeakEwma::cost(TimePoint now) const noexcept {
  const std::uint64_t word = word_.load(std::memory_order_relaxed);
  if (word >> 32 == 0) return std::nullopt;
  return Duration(static_cast<std::int64_t>(std::max(1.0, decayed_us(word, ms(now))) * 1000));
}

double size_factor(Bytes request) noexcept {
  return std::max(1.0, static_cast<double>(request.value) / kSizeUnit);
}

Duration per_size(Duration cost, Bytes request) noexcept {
  if (request.value <= kSizeUnit) return cost;
  return Duration(static_cast<std::int64_t>(ns(cost) / size_factor(request)));
}

AgeFeed::AgeFeed(std::optional<Duration> cost) noexcept
    : due_(std::max(Duration(1ms), cost ? 2 * *cost : kFaultMin)) {}

bool AgeFeed::reached(Duration age) noexcept {
  if (age < due_) return false;
  while (due_ <= age) due_ *= 2;
  return true;
}

std::optional<ReplicaIndex> PeakEwmaBalancer::pick(Candidates candidates, const TriedSet& tried,
                                                   Rng& rng) {
  const Participants among(candidates, tried, rng);
  if (among.indices().empty()) return std::nullopt;
  if (among.indices().size() == 1) return among.indices().front();
  const Pair pair = draw_two(among, rng);
  const bool known = candidates[pair.first].cost && candidates[pair.second].cost;
  const double stand_in = known ? 0 : median_ns(candidates, tried);
  const Load first = load(candidates[pair.first], stand_in);
  const Load second = load(candidates[pair.second], stand_in);
  if (first == second) return draw_by_weight(candidates, pair, rng);
  return first < second ? pair.first : pair.second;
}

std::unique_ptr<Balancer> make_peak_ewma() { return std::make_unique<PeakEwmaBalancer>(); }

}  // namespace penstock::control
