#include "control/retry_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/rng.h"
#include "base/units.h"
#include "control/attempt_failure.h"
#include "control/decision.h"
#include "control/outcome.h"
#include "tests/support/scripted_rng.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

using test::draw;
constexpr TimePoint kStart{1h};
constexpr auto kFallback = TargetRole::kFallback;

// A route whose answers a test writes down.
class FakeRoute final : public RouteState {
 public:
  explicit FakeRoute(std::size_t targets) : untried(targets, 1), last_resorts(targets, 0) {}
  TargetStanding standing(std::size_t target, TimePoint) const override {
    if (untried[target] > 0) return TargetStanding::kEligible;
    return last_resorts[target] > 0 ? TargetStanding::kLastResort : TargetStanding::kNothing;
  }
  bool can_repeat(std::size_t, TimePoint) const override { return repeatable; }
  Duration usual_first_content(std::size_t, TimePoint) const override { return usual; }
  bool take_credit(std::size_t target, TimePoint) override {
    if (credit == 0) return false;
    --credit;
    paid.push_back(target);
    return true;
  }
  void first_attempt(std::size_t target, TimePoint) override { first.push_back(target); }

  std::vector<int> untried;       // eligible replicas left, by target
  std::vector<int> last_resorts;  // likewise
  bool repeatable = true;
  Duration usual = 0s;
  int credit = 100;
  std::vector<std::size_t> paid;
  std::vector<std::size_t> first;
};

// One request over a plan: takes an untried replica when told so, as the driver does.
struct Trip {
  explicit Trip(std::vector<PlanTarget> to, RetryConfig with = RetryConfig(),
                Duration patience = 60s)
      : targets(std::move(to)),
        config(with),
        route(targets.size()),
        plan({rng, config, targets, route, kStart + patience}) {}

  Decision take(Decision decision) {
    if (const auto* start = std::get_if<Start>(&decision))
      if (start->place == Place::kUntried) {
        auto& left = route.untried[start->target] > 0 ? route.untried : route.last_resorts;
        --left[start->target];
      }
    return decision;
  }
  Decision begin() { return take(plan.begin(kStart)); }
  Decision fail(AttemptFailure failure, TimePoint now = kStart) {
    return take(plan.on_failure(std::move(failure), now));
  }

  std::vector<PlanTarget> targets;
  RetryConfig config;
  FakeRoute route;
  test::ScriptedRng rng{};
  RetryPlan plan;
};

AttemptFailure code(ErrorCode error_code) {
  return {.error = Error(error_code), .facts = {.code = error_code}};
}
AttemptFailure reset() { return code(ErrorCode::kUpstreamUnavailable); }
AttemptFailure silence() { return code(ErrorCode::kUpstreamTimeout); }
AttemptFailure status(std::uint16_t provider_status, ProviderWord word = ProviderWord::kNone) {
  return {.error = Error(ErrorCode::kUpstreamError),
          .facts = {.provider_status = provider_status, .word = word}};
}
AttemptFailure load(std::optional<Duration> retry_after) {
  AttemptFailure failure = status(429);
  failure.error.code = ErrorCode::kUpstreamRateLimited;
  failure.error.retry_after = retry_after;
  return failure;
}

void expect_start(const Decision& decision, std::size_t target, Place place) {
  const auto* start = std::get_if<Start>(&decision);
  ASSERT_NE(start, nullptr) << "decision " << decision.index();
  EXPECT_EQ(start->target, target);
  EXPECT_EQ(start->place, place);
}
void expect_sleep(const Decision& decision, TimePoint at) {
  const auto* sleep = std::get_if<SleepUntil>(&decision);
  ASSERT_NE(sleep, nullptr) << "decision " << decision.index();
  EXPECT_EQ(sleep->at, at);
  EXPECT_EQ(sleep->next.place, Place::kSame);
}
void expect_finish(const Decision& decision, ErrorCode with) {
  const auto* finish = std::get_if<Finish>(&decision);
  ASSERT_NE(finish, nullptr) << "decision " << decision.index();
  EXPECT_EQ(finish->error.code, with);
}

// The first target is drawn by weight among those with something eligible; else the fallbacks, in
// order; else nothing.
TEST(RetryPlan, BeginsWhereSomethingIsEligible) {
  Trip both({{0, 90}, {1, 10}});
  both.rng.add(draw(89, 100));
  expect_start(both.begin(), 0, Place::kUntried);
  Trip other({{0, 90}, {1, 10}});
  other.rng.add(draw(90, 100));
  expect_start(other.begin(), 1, Place::kUntried);
  Trip share({{0, 90}, {1, 10}});  // the dead target's share goes to the other
  share.route.untried[0] = 0;
  share.rng.add(0);
  expect_start(share.begin(), 1, Place::kUntried);
  Trip chain({{0, 90}, {1, 1, kFallback}, {2, 1, kFallback}});
  chain.route.untried = {0, 0, 1};
  expect_start(chain.begin(), 2, Place::kUntried);
  EXPECT_EQ(chain.plan.attempts(), 1U);
  Trip none({{0, 90}});
  none.route.untried = {0};
  expect_finish(none.begin(), ErrorCode::kNoReplica);
}

// While untried replicas are left they come first and at once, also after silence.
TEST(RetryPlan, UntriedReplicasComeFirst) {
  Trip trip({{0, 1}});
  trip.route.untried = {3};
  trip.rng.add(0);
  expect_start(trip.begin(), 0, Place::kUntried);
  expect_start(trip.fail(reset()), 0, Place::kUntried);
  expect_start(trip.fail(silence()), 0, Place::kUntried);
  EXPECT_EQ(trip.plan.attempts(), 3U);
  expect_finish(trip.fail(reset()), ErrorCode::kUpstreamUnavailable);  // attempts_max
  EXPECT_EQ(trip.route.first, (std::vector<std::size_t>{0}));
  EXPECT_EQ(trip.route.paid, (std::vector<std::size_t>{0, 0}));
}

// A lone replica that broke is tried once more after a full-jitter backoff, and then given up.
TEST(RetryPlan, ALoneReplicaIsTriedOnceMore) {
  Trip trip({{0, 1}}, {.attempts_max = 5, .backoff_base = 50ms});
  trip.rng.add(0);
  trip.rng.add(draw(20'000'000, 50'000'000));
  expect_start(trip.begin(), 0, Place::kUntried);
  expect_sleep(trip.fail(status(500)), kStart + 20ms);
  expect_finish(trip.fail(status(500)), ErrorCode::kUpstreamError);
  EXPECT_EQ(trip.plan.attempts(), 2U);
}

// A draw of nothing is no sleep at all.
TEST(RetryPlan, ABackoffOfZeroStartsAtOnce) {
  Trip trip({{0, 1}});
  trip.rng.add(0);
  trip.rng.add(0);
  static_cast<void>(trip.begin());
  expect_start(trip.fail(status(500)), 0, Place::kSame);
}

// Once its only replica failed twice, the next target; once that did too, the fallback.
TEST(RetryPlan, ATargetIsGivenUpAfterTwoFailures) {
  Trip trip({{0, 1}, {1, 1}, {2, 1, kFallback}}, {.attempts_max = 10});
  trip.rng.add(draw(0, 2));
  expect_start(trip.begin(), 0, Place::kUntried);
  trip.rng.add(draw(9'000'000, 50'000'000));
  expect_sleep(trip.fail(reset()), kStart + 9ms);
  trip.rng.add(0);
  expect_start(trip.fail(reset()), 1, Place::kUntried);
  trip.rng.add(draw(199'999'999, 200'000'000));  // the third retry: 50 ms × 2²
  expect_sleep(trip.fail(reset()), kStart + 199'999'999ns);
  expect_start(trip.fail(reset()), 2, Place::kUntried);
  trip.route.repeatable = false;
  expect_finish(trip.fail(reset()), ErrorCode::kUpstreamUnavailable);
  EXPECT_EQ(trip.route.first, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(trip.route.paid, (std::vector<std::size_t>{0, 1}));
}

// Backoff stops growing at its cap.
TEST(RetryPlan, BackoffIsCapped) {
  Trip trip({{0, 1}, {1, 1}}, {.attempts_max = 10, .backoff_base = 1s, .backoff_cap = 3s});
  trip.route.untried = {4, 0};
  trip.rng.add(0);
  static_cast<void>(trip.begin());
  for (int i = 0; i < 3; ++i) expect_start(trip.fail(reset()), 0, Place::kUntried);
  trip.route.untried = {0, 1};
  trip.rng.add(0);
  expect_start(trip.fail(reset()), 1, Place::kUntried);
  trip.rng.add(draw(2'999'999'999, 3'000'000'000));
  expect_sleep(trip.fail(reset()), kStart + 2'999'999'999ns);
}

// Silence: never the same replica again.
TEST(RetryPlan, SilenceMovesOn) {
  Trip trip({{0, 1}, {1, 1, kFallback}});
  trip.rng.add(0);
  static_cast<void>(trip.begin());
  expect_start(trip.fail(silence()), 1, Place::kUntried);
  expect_finish(trip.fail(silence()), ErrorCode::kUpstreamTimeout);
}

// A Retry-After that fits is waited for, to the nanosecond; one that does not moves on.
TEST(RetryPlan, RetryAfterIsHonouredWhenItFits) {
  Trip fits({{0, 1}, {1, 1, kFallback}}, {.attempts_max = 9, .wait_max = 2s});
  fits.rng.add(0);
  static_cast<void>(fits.begin());
  expect_sleep(fits.fail(load(2s)), kStart + 2s);
  expect_start(fits.fail(load(2s)), 1, Place::kUntried);  // failed twice
  Trip long_wait({{0, 1}}, {.wait_max = 2s});
  long_wait.rng.add(0);
  static_cast<void>(long_wait.begin());
  expect_finish(long_wait.fail(load(2s + 1ns)), ErrorCode::kUpstreamRateLimited);
  Trip too_late({{0, 1}}, {.wait_max = 2s}, 1s);
  too_late.rng.add(0);
  static_cast<void>(too_late.begin());
  expect_finish(too_late.fail(load(1500ms)), ErrorCode::kUpstreamRateLimited);
}

// Load without a word on its length: elsewhere if there is an elsewhere, else once more later.
TEST(RetryPlan, LoadWithoutRetryAfterPrefersAnotherTarget) {
  Trip other({{0, 1}, {1, 1, kFallback}});
  other.rng.add(0);
  static_cast<void>(other.begin());
  expect_start(other.fail(load(std::nullopt)), 1, Place::kUntried);
  Trip alone({{0, 1}});
  alone.rng.add(0);
  alone.rng.add(draw(7'000'000, 50'000'000));
  static_cast<void>(alone.begin());
  expect_sleep(alone.fail(load(std::nullopt)), kStart + 7ms);
  expect_finish(alone.fail(load(std::nullopt)), ErrorCode::kUpstreamRateLimited);
  Trip gone({{0, 1}});
  gone.route.repeatable = false;
  gone.rng.add(0);
  static_cast<void>(gone.begin());
  expect_finish(gone.fail(load(std::nullopt)), ErrorCode::kUpstreamRateLimited);
}

// Our key is refused: nothing at that provider is tried, not even an untried replica.
TEST(RetryPlan, RefusedCredentialsBarTheProvider) {
  Trip trip({{0, 1}, {1, 1, kFallback}, {0, 1, kFallback}}, {.attempts_max = 9});
  trip.route.untried = {3, 1, 3};
  trip.rng.add(0);
  static_cast<void>(trip.begin());
  expect_start(trip.fail(status(401)), 1, Place::kUntried);
  trip.route.repeatable = false;
  expect_finish(trip.fail(reset()), ErrorCode::kUpstreamUnavailable);
}

// A name that the provider does not know: an untried replica, else the next target.
TEST(RetryPlan, AMissingModelNeverRepeats) {
  Trip trip({{0, 1}, {1, 1, kFallback}}, {.attempts_max = 9});
  trip.route.untried = {2, 1};
  trip.rng.add(0);
  static_cast<void>(trip.begin());
  expect_start(trip.fail(status(404, ProviderWord::kModelNotFound)), 0, Place::kUntried);
  expect_start(trip.fail(status(404, ProviderWord::kModelNotFound)), 1, Place::kUntried);
}

// A prompt too long is never retried on its target, goes to the fallback chain once, and not to
// another weighted target.
TEST(RetryPlan, ContextLengthGoesToTheFallbackOnce) {
  const AttemptFailure too_long = status(400, ProviderWord::kContextLength);
  Trip trip({{0, 1}, {1, 1}, {2, 1, kFallback}, {3, 1, kFallback}}, {.attempts_max = 9});
  trip.route.untried = {2, 1, 1, 1};
  trip.rng.add(draw(0, 2));
  expect_start(trip.begin(), 0, Place::kUntried);
  expect_start(trip.fail(too_long), 2, Place::kUntried);
  expect_finish(trip.fail(too_long), ErrorCode::kUpstreamError);
}

// Other 400-class answers, our own troubles and departures end it.
TEST(RetryPlan, FinalFailuresEndIt) {
  for (const AttemptFailure& failure :
       {status(400), status(422), code(ErrorCode::kDeadlineExceeded),
        code(ErrorCode::kOverloaded)}) {
    Trip trip({{0, 1}});
    trip.route.untried = {5};
    trip.rng.add(0);
    static_cast<void>(trip.begin());
    expect_finish(trip.fail(failure), failure.error.code);
  }
}

// Content reached the client: whatever comes, no second answer.
TEST(RetryPlan, CommitForbids) {
  Trip trip({{0, 1}});
  trip.route.untried = {5};
  trip.rng.add(0);
  static_cast<void>(trip.begin());
  trip.plan.on_content();
  expect_finish(trip.fail(reset()), ErrorCode::kUpstreamUnavailable);
}

// A retry that cannot finish is not started: its wait plus the usual time to first content, or
// under 50 ms.
TEST(RetryPlan, TheDeadlineDecides) {
  for (const auto& [left, usual, goes] :
       {std::tuple{50ms, 0ms, true}, std::tuple{50ms - 1ms, 0ms, false},
        std::tuple{300ms, 300ms, true}, std::tuple{299ms, 300ms, false}}) {
    Trip trip({{0, 1}}, {}, 10s);
    trip.route.untried = {2};
    trip.route.usual = usual;
    trip.rng.add(0);
    static_cast<void>(trip.begin());
    const Decision decision = trip.fail(silence(), kStart + 10s - left);
    EXPECT_EQ(std::holds_alternative<Start>(decision), goes);
    if (!goes) expect_finish(decision, ErrorCode::kUpstreamTimeout);
  }
}

// The same where a wait comes first: 50 ms must be left behind it.
TEST(RetryPlan, TheDeadlineDecidesBehindAWait) {
  for (const auto& [left, usual, goes] :
       {std::tuple{1050ms, 0ms, true}, std::tuple{1049ms, 0ms, false},
        std::tuple{1300ms, 300ms, true}, std::tuple{1299ms, 300ms, false}}) {
    Trip trip({{0, 1}}, {}, 10s);
    trip.route.usual = usual;
    trip.rng.add(0);
    static_cast<void>(trip.begin());
    const Decision decision = trip.fail(load(1s), kStart + 10s - left);
    EXPECT_EQ(std::holds_alternative<SleepUntil>(decision), goes);
  }
}

// Without credit: on to the next target, whose first attempt needs none.
TEST(RetryPlan, WithoutCreditItMovesOn) {
  Trip trip({{0, 1}, {0, 1}, {1, 1, kFallback}}, {.attempts_max = 9});
  trip.route.untried = {2, 2, 2};
  trip.route.credit = 0;
  trip.rng.add(draw(0, 2));
  static_cast<void>(trip.begin());
  trip.rng.add(0);  // draws target 1 of the same provider, which needs credit too
  expect_start(trip.fail(reset()), 2, Place::kUntried);
  EXPECT_EQ(trip.route.first, (std::vector<std::size_t>{0, 2}));
  expect_finish(trip.fail(reset()), ErrorCode::kUpstreamUnavailable);
}

// An attempt that lost its replica before it began costs nothing and goes elsewhere.
TEST(RetryPlan, AnUnplacedAttemptIsNoAttempt) {
  Trip trip({{0, 1}, {0, 1, kFallback}}, {.attempts_max = 1});
  trip.route.credit = 0;
  trip.rng.add(0);
  static_cast<void>(trip.begin());
  expect_start(trip.take(trip.plan.on_unplaced(kStart)), 1, Place::kUntried);
  EXPECT_EQ(trip.plan.attempts(), 1U);
  EXPECT_EQ(trip.route.first, (std::vector<std::size_t>{0}));
  expect_finish(trip.plan.on_unplaced(kStart), ErrorCode::kNoReplica);
  EXPECT_EQ(trip.plan.attempts(), 0U);
}

// After a failure the failure stays the answer, even when the retry could not be placed.
TEST(RetryPlan, AnUnplacedRetryTellsTheLastFailure) {
  Trip trip({{0, 1}});
  trip.route.untried = {2};
  trip.rng.add(0);
  static_cast<void>(trip.begin());
  expect_start(trip.fail(reset()), 0, Place::kUntried);
  expect_finish(trip.plan.on_unplaced(kStart), ErrorCode::kUpstreamUnavailable);
  EXPECT_EQ(trip.plan.attempts(), 1U);
}

AttemptFailure any_failure(Rng& rng) {
  switch (rng.below(8)) {
    case 0: return silence();
    case 1: return status(500);
    case 2: return load(std::nullopt);
    case 3: return load(Duration(rng.below(4'000'000'000)));
    case 4: return status(401);
    case 5: return status(404, ProviderWord::kModelNotFound);
    case 6: return status(400, ProviderWord::kContextLength);
    default: return reset();
  }
}

// Over random routes and failures: it ends, never passes attempts_max, pays for each second and
// later attempt at a provider and for no first one, returns to no target it left, and starts
// nothing that cannot finish.
TEST(RetryPlan, KeepsItsPromisesOverRandomRoutes) {
  const std::uint64_t seed = test::seed_of_test(13);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (int round = 0; round < 3000; ++round) {
    std::vector<PlanTarget> targets(1 + rng.below(5));
    for (PlanTarget& target : targets)
      target = {rng.below(3), static_cast<std::uint32_t>(rng.below(3)),
                rng.below(2) == 0 ? kFallback : TargetRole::kWeighted};
    FakeRoute route(targets.size());
    for (int& untried : route.untried) untried = static_cast<int>(rng.below(3));
    route.credit = static_cast<int>(rng.below(4));
    const int credit = route.credit;
    route.usual = Duration(rng.below(2'000'000'000));
    const RetryConfig config{.attempts_max = static_cast<std::uint32_t>(1 + rng.below(5))};
    const TimePoint deadline = kStart + Duration(rng.below(10'000'000'000));
    RetryPlan plan({rng, config, targets, route, deadline});
    TimePoint now = kStart;
    std::uint32_t begun = 0;
    std::map<std::size_t, int> at_provider;
    std::set<std::size_t> left;
    std::optional<std::size_t> here;
    Decision decision = plan.begin(now);
    while (!std::holds_alternative<Finish>(decision)) {
      Start start;
      if (const auto* sleep = std::get_if<SleepUntil>(&decision)) {
        now = sleep->at;
        start = sleep->next;
      } else {
        start = std::get<Start>(decision);
      }
      if (begun > 0) ASSERT_LE(now + std::max(route.usual, Duration(0s)), deadline);
      if (start.place == Place::kUntried) {
        ASSERT_GT(route.untried[start.target], 0);
        --route.untried[start.target];
      } else {
        ASSERT_EQ(here, start.target);
      }
      if (here && *here != start.target) left.insert(*here);
      ASSERT_FALSE(left.contains(start.target));
      here = start.target;
      ASSERT_LE(++begun, config.attempts_max);
      ASSERT_EQ(plan.attempts(), begun);
      ++at_provider[targets[start.target].provider];
      now += Duration(rng.below(1'000'000'000));
      decision = plan.on_failure(any_failure(rng), now);
    }
    std::size_t seconds = 0;
    for (const auto& [provider, count] : at_provider)
      seconds += static_cast<std::size_t>(count - 1);
    ASSERT_EQ(route.paid.size(), seconds);
    ASSERT_EQ(route.first.size(), at_provider.size());
    ASSERT_EQ(route.credit, credit - static_cast<int>(seconds));
  }
}

}  // namespace
}  // namespace penstock::control
