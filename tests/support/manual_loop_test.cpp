#include "tests/support/manual_loop.h"

#include <string>

#include <gtest/gtest.h>

#include "runtime/timer.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_rng.h"
#include "tests/support/seeded_rng.h"

namespace penstock::test {
namespace {

struct Noter {
  ManualLoop& loop;
  std::string& log;
  char name;
  runtime::Timer timer{loop.timers(), &Noter::fire, this};
  static void fire(void* self) {
    auto& noter = *static_cast<Noter*>(self);
    noter.log += noter.name;
    noter.loop.post([&noter] { noter.log += '+'; });
  }
};

// Work posted by a timer runs before time moves to the next one; the order is the test's.
TEST(ManualLoop, RunsPostedWorkBetweenTimers) {
  ManualLoop loop;
  std::string log;
  Noter late{.loop = loop, .log = log, .name = 'l'};
  Noter early{.loop = loop, .log = log, .name = 'e'};
  late.timer.arm(loop.now() + 2s);
  early.timer.arm(loop.now() + 1s);
  loop.post([&] { log += 'p'; });
  loop.advance(10s);
  EXPECT_EQ(log, "pe+l+");
  EXPECT_EQ(loop.now(), ManualClock::kStart + 10s);
}

// What is posted while posted work runs comes last, not inside.
TEST(ManualLoop, PostsNeverRunInsideTheCall) {
  ManualLoop loop;
  std::string log;
  loop.post([&] {
    loop.post([&] { log += 'c'; });
    log += 'a';
  });
  loop.post([&] { log += 'b'; });
  EXPECT_EQ(log, "");
  loop.run_until_idle();
  EXPECT_EQ(log, "abc");
}

// advance_until stops at the wake that made it true, and says when none did.
TEST(ManualLoop, AdvancesUntilSomethingHolds) {
  ManualLoop loop;
  std::string log;
  Noter noter{.loop = loop, .log = log, .name = 'n'};
  noter.timer.arm(loop.now() + 1s);
  EXPECT_TRUE(loop.advance_until([&] { return !log.empty(); }, 1min));
  EXPECT_LE(loop.now() - ManualClock::kStart, 1s + runtime::TimerWheel::kTick);
  EXPECT_FALSE(loop.advance_until([&] { return log.size() > 5; }, 1min));
}

// Scripted draws come out of below() as what the test meant.
TEST(ScriptedRng, DrawsWhatItWasTold) {
  ScriptedRng rng{draw(3, 10), draw(0, 10), draw(9, 10), 77};
  EXPECT_EQ(rng.below(10), 3U);
  EXPECT_EQ(rng.fork("other")->below(10), 0U);
  EXPECT_EQ(rng.below(10), 9U);
  EXPECT_EQ(rng.next(), 77U);
  EXPECT_EQ(rng.left(), 0U);
}

// A fork does not depend on how much was drawn before, and differs by name.
TEST(SeededRng, ForksByName) {
  SeededRng one(5);
  SeededRng other(5);
  EXPECT_EQ(one.next(), other.next());
  const auto first = one.fork("hedge");
  ASSERT_NE(one.next(), 0U);
  EXPECT_EQ(first->next(), one.fork("hedge")->next());
  EXPECT_NE(one.fork("hedge")->next(), one.fork("retry")->next());
}

}  // namespace
}  // namespace penstock::test
