#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>

#include "base/describe.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/field.h"
#include "base/rng.h"
#include "base/units.h"
#include "control/attempt_failure.h"
#include "control/decision.h"

namespace penstock::control {

struct RetryConfig {               // YAML: retry
  std::uint32_t attempts_max = 3;  // of one request, fallbacks too
  Ratio budget{100'000};           // of a provider's starts, see retry_budget.h
  Duration backoff_base = 50ms;
  Duration backoff_cap = 2s;
  Duration wait_max = 2s;  // the longest Retry-After that is waited for
};

constexpr auto fields(Describe<RetryConfig>) {
  using C = RetryConfig;
  return std::tuple{
      field("attempts_max", &C::attempts_max, range(1, 100), Reload::kLive,
            "Attempts for one request, the first and those at fallbacks included."),
      field("budget", &C::budget, range(Ratio{0}, Ratio{1'000'000}), Reload::kLive,
            "Retries at a provider in any 10 s, as a share of the requests begun there (at least "
            "3); 0% turns retries off."),
      field("backoff_base", &C::backoff_base, range(1ms, 1h), Reload::kLive,
            "Before the n-th retry at the same replica: a random time below base x 2^(n-1)."),
      field("backoff_cap", &C::backoff_cap, range(1ms, 1h), Reload::kLive,
            "The longest such time."),
      field("wait_max", &C::wait_max, range(0ms, 1h), Reload::kLive,
            "The longest Retry-After of a provider that is waited for."),
  };
}

enum class TargetRole : std::uint8_t {
  kWeighted,  // one of the model's targets, drawn by weight
  kFallback,  // one of its fallback chain, in order
};
// One place that a request may go to. With an explicit provider the caller leaves out all others.
struct PlanTarget {
  std::size_t provider = 0;
  std::uint32_t weight = 1;  // of a kWeighted one
  TargetRole role = TargetRole::kWeighted;
};

// The best that a target has to offer to a request, among the replicas that it has not tried.
enum class TargetStanding : std::uint8_t {
  kNothing,
  kLastResort,  // replicas that asked to wait, or that are probed: only with nothing else eligible
  kEligible,
};

// What the plan asks at the moment of deciding. Answered from shared state; never waits.
class RouteState {
 public:
  RouteState() = default;
  RouteState(const RouteState&) = delete;
  RouteState& operator=(const RouteState&) = delete;
  virtual ~RouteState() = default;
  [[nodiscard]] virtual TargetStanding standing(std::size_t target, TimePoint now) const = 0;
  // Whether the replica tried last may be tried again.
  [[nodiscard]] virtual bool can_repeat(std::size_t target, TimePoint now) const = 0;
  // A replica's usual time to first content, at this target; 0 when it is not known.
  [[nodiscard]] virtual Duration usual_first_content(std::size_t target, TimePoint now) const = 0;
  // Takes credit for a second or later attempt of this request at the target's provider.
  [[nodiscard]] virtual bool take_credit(std::size_t target, TimePoint now) = 0;
  // A request's first attempt at the target's provider: it earns credit.
  virtual void first_attempt(std::size_t target, TimePoint now) = 0;
};

// Decides, for one client request, where each attempt goes and whether there is another. Pure but
// for the answers of `route`. Single-threaded; the driver in gateway/ is the only loop that sleeps
// and sends. `rng`, `config`, `targets` and `route` outlive it; at most 64 targets.
// source: docs/reference/endpoints.md.
class RetryPlan {
 public:
  struct Inputs {
    Rng& rng;
    const RetryConfig& config;
    std::span<const PlanTarget> targets;
    RouteState& route;
    TimePoint deadline;
  };
  static constexpr std::size_t kTargetsMax = 64;

  explicit RetryPlan(const Inputs& inputs);

  // The first attempt: at `probe` if it is the turn of one there, else at a target drawn by weight
  // among those with an eligible replica, else at the first such fallback, else at a last resort,
  // else Finish with kNoReplica (whose text the caller writes).
  [[nodiscard]] Decision begin(TimePoint now, std::optional<std::size_t> probe = std::nullopt);
  [[nodiscard]] Decision on_failure(AttemptFailure failure, TimePoint now);
  // The attempt decided last could not be placed: its replica went out of reach in between. It
  // never began, and its target is passed over.
  [[nodiscard]] Decision on_unplaced(TimePoint now);
  // Content reached the client: no later failure may retry.
  void on_content() noexcept { committed_ = true; }

  // Attempts decided on, the first included.
  [[nodiscard]] std::uint32_t attempts() const noexcept { return attempts_; }

 private:
  [[nodiscard]] std::optional<Decision> at_this_target(FailureKind kind, TimePoint now);
  [[nodiscard]] std::optional<Decision> same_replica(FailureKind kind, TimePoint now);
  [[nodiscard]] std::optional<Decision> elsewhere(FailureKind kind, TimePoint now);
  enum class Here : std::uint8_t { kGivenUp, kLastResort };
  [[nodiscard]] std::optional<Decision> anywhere(Here here, TimePoint now);
  [[nodiscard]] std::optional<Decision> next_target(TargetRole role, TargetStanding standing,
                                                    TimePoint now);
  [[nodiscard]] std::optional<Decision> go(Start start, Duration wait, TimePoint now);
  [[nodiscard]] std::optional<std::size_t> draw(TargetRole role, TargetStanding standing,
                                                TimePoint now) const;
  [[nodiscard]] bool fits(std::size_t target, Duration wait, TimePoint now) const;
  [[nodiscard]] bool provider_in(std::uint64_t targets, std::size_t target) const noexcept;
  [[nodiscard]] Duration backoff() const;
  void give_up_provider() noexcept;
  [[nodiscard]] Finish finish() const {
    return {last_error_ != nullptr ? *last_error_ : Error(ErrorCode::kNoReplica)};
  }
  [[nodiscard]] bool given_up(std::size_t target) const noexcept {
    return (given_up_ >> target & 1) != 0;
  }

  Inputs in_;
  // On the heap: a plan waits in the frame of every stream, and few have a failure to tell.
  std::unique_ptr<Error> last_error_;
  std::size_t target_ = 0;  // of the attempt decided last
  std::uint32_t attempts_ = 0;
  std::uint32_t failures_here_ = 0;    // at target_
  std::uint64_t given_up_ = 0;         // targets that are not gone to any more
  std::uint64_t tried_ = 0;            // targets that had an attempt
  std::uint64_t counted_ = 0;          // targets of which first_attempt() was told
  std::optional<Duration> told_wait_;  // the last failure's Retry-After
  bool context_fallback_used_ = false;
  bool committed_ = false;
};

}  // namespace penstock::control
