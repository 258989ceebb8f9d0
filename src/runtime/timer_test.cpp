#include "runtime/timer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "tests/support/seeded_rng.h"

namespace penstock::runtime {
namespace {

constexpr TimePoint at(Duration since_start) { return TimePoint(since_start); }

// Counts how often it fired.
struct Probe {
  explicit Probe(TimerWheel& wheel) : timer(wheel, &Probe::fire, this) {}
  static void fire(void* self) { ++static_cast<Probe*>(self)->fired; }
  Timer timer;
  int fired = 0;
};

// Due times are rounded up to a tick of 4 ms, never down.
TEST(TimerWheel, FiresAtTheFirstTickNotBeforeTheDueTime) {
  TimerWheel wheel;
  Probe exact(wheel);
  Probe between(wheel);
  exact.timer.arm(at(8ms));
  between.timer.arm(at(8ms + 1ns));
  wheel.advance(at(8ms - 1ns));
  EXPECT_EQ(exact.fired, 0);
  wheel.advance(at(8ms));
  EXPECT_EQ(exact.fired, 1);
  EXPECT_EQ(between.fired, 0);
  wheel.advance(at(12ms));
  EXPECT_EQ(between.fired, 1);
  EXPECT_FALSE(exact.timer.armed());
  EXPECT_EQ(wheel.armed(), 0U);
}

// "At once" must not mean "inside the call": it is the next tick.
TEST(TimerWheel, ATimePastFiresAtTheNextTick) {
  TimerWheel wheel;
  wheel.advance(at(1s));
  Probe probe(wheel);
  Probe ancient(wheel);
  probe.timer.arm(at(500ms));
  ancient.timer.arm(TimePoint::min());
  wheel.advance(at(1s + 3ms));
  EXPECT_EQ(probe.fired, 0);
  EXPECT_EQ(wheel.next_wake(), at(1s + 4ms));
  wheel.advance(at(1s + 4ms));
  EXPECT_EQ(probe.fired, 1);
  EXPECT_EQ(ancient.fired, 1);
}

// One turn is 4,096 ms: a timer beyond it passes its slot without firing.
TEST(TimerWheel, TimersBeyondOneTurnWait) {
  TimerWheel wheel;
  Probe one_turn(wheel);
  Probe two_turns(wheel);
  Probe far(wheel);
  one_turn.timer.arm(at(4096ms));
  two_turns.timer.arm(at(8192ms));
  far.timer.arm(at(1h));
  for (Duration now{}; now < 4096ms; now += 4ms) wheel.advance(at(now));
  EXPECT_EQ(one_turn.fired, 0);
  wheel.advance(at(4096ms));
  EXPECT_EQ(one_turn.fired, 1);
  EXPECT_EQ(two_turns.fired, 0);
  wheel.advance(at(8188ms));
  EXPECT_EQ(two_turns.fired, 0);
  wheel.advance(at(8192ms));
  EXPECT_EQ(two_turns.fired, 1);
  wheel.advance(at(1h - 4ms));
  EXPECT_EQ(far.fired, 0);
  wheel.advance(at(1h));
  EXPECT_EQ(far.fired, 1);
}

// A machine that slept wakes with everything due, and nothing is lost or fired early.
TEST(TimerWheel, ALongSleepFiresEverythingDue) {
  TimerWheel wheel;
  std::vector<std::unique_ptr<Probe>> due;
  for (int i = 1; i <= 2000; ++i) {
    due.push_back(std::make_unique<Probe>(wheel));
    due.back()->timer.arm(at(i * 7ms));
  }
  Probe later(wheel);
  later.timer.arm(at(48h));
  wheel.advance(at(24h));
  for (const auto& probe : due) EXPECT_EQ(probe->fired, 1);
  EXPECT_EQ(later.fired, 0);
  EXPECT_EQ(wheel.armed(), 1U);
}

// The cheap path: pushing a time-out further away with every byte, and pulling it back.
TEST(TimerWheel, ArmingAgainMovesTheDueTime) {
  TimerWheel wheel;
  Probe probe(wheel);
  probe.timer.arm(at(100ms));
  probe.timer.arm(at(200ms));
  EXPECT_EQ(wheel.armed(), 1U);
  wheel.advance(at(196ms));
  EXPECT_EQ(probe.fired, 0);
  EXPECT_TRUE(probe.timer.armed());
  probe.timer.arm(at(400ms));
  probe.timer.arm(at(200ms));
  wheel.advance(at(200ms));
  EXPECT_EQ(probe.fired, 1);
  probe.timer.arm(at(300ms));
  probe.timer.disarm();
  probe.timer.disarm();
  wheel.advance(at(1s));
  EXPECT_EQ(probe.fired, 1);
}

// A timer's memory goes away with its request.
TEST(TimerWheel, ATimerThatEndsIsForgotten) {
  TimerWheel wheel;
  {
    Probe probe(wheel);
    probe.timer.arm(at(8ms));
    EXPECT_EQ(wheel.armed(), 1U);
  }
  EXPECT_EQ(wheel.armed(), 0U);
  EXPECT_EQ(wheel.next_wake(), std::nullopt);
  wheel.advance(at(1s));
}

// Periodic work arms itself again while it fires, also for a time that has passed already.
struct Periodic {
  Periodic(TimerWheel& wheel, Duration every)
      : timer(wheel, &Periodic::fire, this), period(every) {}
  static void fire(void* self) {
    auto& periodic = *static_cast<Periodic*>(self);
    EXPECT_FALSE(periodic.timer.armed());
    ++periodic.fired;
    periodic.due += periodic.period;
    periodic.timer.arm(periodic.due);
  }
  Timer timer;
  Duration period;
  TimePoint due{};
  int fired = 0;
};

TEST(TimerWheel, ATimerMayArmItselfWhileItFires) {
  TimerWheel wheel;
  Periodic periodic(wheel, 20ms);
  periodic.due = at(20ms);
  periodic.timer.arm(periodic.due);
  for (Duration now{}; now <= 1s; now += 4ms) wheel.advance(at(now));
  EXPECT_EQ(periodic.fired, 50);
}

// A firing timer ends, disarms and re-arms others of its own slot.
struct Breaker {
  explicit Breaker(TimerWheel& wheel) : timer(wheel, &Breaker::fire, this) {}
  static void fire(void* self) {
    auto& breaker = *static_cast<Breaker*>(self);
    ++breaker.fired;
    breaker.ends.clear();
    for (Timer* timer : breaker.disarms) timer->disarm();
    for (Timer* timer : breaker.moves_on) timer->arm(at(100ms));
    for (Timer* timer : breaker.moves_back) timer->arm(at(0ms));
  }
  Timer timer;
  int fired = 0;
  std::vector<std::unique_ptr<Probe>> ends;
  std::vector<Timer*> disarms;
  std::vector<Timer*> moves_on;
  std::vector<Timer*> moves_back;
};

TEST(TimerWheel, AFiringTimerMayChangeItsWholeSlot) {
  for (const bool breaker_last : {false, true}) {  // whichever end of the slot comes first
    TimerWheel wheel;
    Breaker breaker(wheel);
    Probe disarmed(wheel);
    Probe moved_on(wheel);
    Probe moved_back(wheel);
    Probe untouched(wheel);
    if (!breaker_last) breaker.timer.arm(at(8ms));
    for (int i = 0; i < 3; ++i) {
      breaker.ends.push_back(std::make_unique<Probe>(wheel));
      breaker.ends.back()->timer.arm(at(8ms));
    }
    for (Probe* probe : {&disarmed, &moved_on, &moved_back, &untouched}) probe->timer.arm(at(8ms));
    if (breaker_last) breaker.timer.arm(at(8ms));
    breaker.disarms = {&disarmed.timer};
    breaker.moves_on = {&moved_on.timer};
    breaker.moves_back = {&moved_back.timer};
    wheel.advance(at(8ms));
    EXPECT_EQ(breaker.fired, 1);
    EXPECT_EQ(untouched.fired, 1);
    EXPECT_FALSE(disarmed.timer.armed());
    EXPECT_TRUE(moved_on.timer.armed());
    const int early = moved_on.fired;  // 1 when its turn came before the breaker's
    wheel.advance(at(96ms));
    EXPECT_EQ(moved_on.fired, early);
    EXPECT_FALSE(moved_back.timer.armed());
    EXPECT_GE(moved_back.fired, 1);
    wheel.advance(at(100ms));
    EXPECT_EQ(moved_on.fired, early + 1);
    EXPECT_EQ(wheel.armed(), 0U);
  }
}

// The loop sleeps until what on_earlier told; a later timer must not wake it.
TEST(TimerWheel, TellsOnlyOfEarlierDueTimes) {
  TimerWheel wheel;
  std::vector<TimePoint> told;
  wheel.on_earlier(
      [](void* list, TimePoint due) { static_cast<std::vector<TimePoint>*>(list)->push_back(due); },
      &told);
  Probe a(wheel);
  Probe b(wheel);
  Probe c(wheel);
  a.timer.arm(at(400ms));
  b.timer.arm(at(500ms));
  c.timer.arm(at(101ms));
  EXPECT_EQ(told, (std::vector<TimePoint>{at(400ms), at(104ms)}));
  EXPECT_EQ(wheel.next_wake(), at(104ms));
}

// Random arming, moving, disarming and sleeping, against a sorted list: each timer fires once,
// never early and at most a tick late. Driven as a loop drives it: nothing looks at the wheel until
// what on_earlier or the last next_wake told, so that a quiet one lags behind the time.
class Reference {
 public:
  explicit Reference(std::size_t timers) {
    wheel_.on_earlier(
        [](void* self, TimePoint due) { static_cast<Reference*>(self)->alarm_ = due; }, this);
    for (std::size_t i = 0; i < timers; ++i) entries_.push_back(std::make_unique<Entry>(*this, i));
  }
  void arm(std::size_t i, TimePoint due) {
    disarm(i);
    entries_[i]->timer.arm(due);
    entries_[i]->place = due_.emplace(std::max(due, now), i);
  }
  void disarm(std::size_t i) {
    entries_[i]->timer.disarm();
    if (entries_[i]->place) due_.erase(*entries_[i]->place);
    entries_[i]->place.reset();
  }
  // Arms without taking it out of the wheel first: the path that moves a timer.
  void move(std::size_t i, TimePoint due) {
    if (entries_[i]->place) due_.erase(*entries_[i]->place);
    entries_[i]->timer.arm(due);
    entries_[i]->place = due_.emplace(std::max(due, now), i);
  }
  void advance_to(TimePoint to) {
    while (alarm_ && *alarm_ <= to) {
      now = std::max(now, *alarm_);
      wheel_.advance(now);
      alarm_ = wheel_.next_wake();
      ASSERT_EQ(alarm_.has_value(), !due_.empty());
      expect_nothing_late();
    }
    now = to;
    expect_nothing_late();
    ASSERT_EQ(wheel_.armed(), due_.size());
  }
  // From a firing timer.
  void fired(std::size_t i) {
    ASSERT_TRUE(entries_[i]->place.has_value()) << "fired while disarmed";
    ASSERT_LE((*entries_[i]->place)->first, now) << "fired early";
    due_.erase(*entries_[i]->place);
    entries_[i]->place.reset();
    ++count;
    if (count % 3 == 0) arm(i, now + count % 7 * 1s);
    if (count % 5 == 0) disarm((i + 1) % entries_.size());
    if (count % 4 == 0) move((i + 2) % entries_.size(), now + count % 11 * 100ms);
  }

  TimePoint now{};
  std::uint64_t count = 0;

 private:
  struct Entry {
    Entry(Reference& owner, std::size_t index)
        : owner(owner), index(index), timer(owner.wheel_, &Entry::fire, this) {}
    static void fire(void* self) {
      auto& entry = *static_cast<Entry*>(self);
      entry.owner.fired(entry.index);
    }
    Reference& owner;
    std::size_t index;
    Timer timer;
    std::optional<std::multimap<TimePoint, std::size_t>::iterator> place;
  };
  // One that is due may wait for the end of its tick.
  void expect_nothing_late() {
    ASSERT_TRUE(due_.empty() || due_.begin()->first + TimerWheel::kTick > now)
        << (now - due_.begin()->first).count() << " ns late";
  }

  TimerWheel wheel_;
  std::optional<TimePoint> alarm_;
  std::multimap<TimePoint, std::size_t> due_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

class TimerWheelOf : public testing::TestWithParam<std::size_t> {};

TEST_P(TimerWheelOf, AgreesWithASortedList) {
  const std::uint64_t seed = test::seed_of_test(20250711);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  const std::size_t timers = GetParam();
  Reference reference(timers);
  for (int round = 0; round < 20'000 && !testing::Test::HasFatalFailure(); ++round) {
    const std::size_t i = rng.below(timers);
    // Near, within a turn, beyond it; a few in the past.
    const Duration scale = std::vector<Duration>{20ms, 3s, 20s}[rng.below(3)];
    const Duration ahead(
        static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(scale.count()))));
    switch (rng.below(4)) {
      case 0: reference.arm(i, reference.now + ahead - 5ms); break;
      case 1: reference.move(i, reference.now + ahead - 5ms); break;
      case 2: reference.disarm(i); break;
      case 3: reference.advance_to(reference.now + ahead / 8); break;
    }
  }
  EXPECT_GT(reference.count, 1000U);
}
INSTANTIATE_TEST_SUITE_P(Timers, TimerWheelOf, testing::Values(1, 2, 64));

}  // namespace
}  // namespace penstock::runtime
