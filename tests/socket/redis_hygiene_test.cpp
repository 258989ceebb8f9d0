#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/redis/client.h"
#include "store/redis/outage.h"
#include "tests/socket/redis_proxy.h"
#include "tests/socket/redis_rig.h"
#include "tests/socket/redis_server.h"

// A connection on which anything was not as it should be is not used again, and no reply ever
// reaches another call. source: reliability.md R67 and G12.
namespace penstock::store::redis {
namespace {

using runtime::Task;
using Mischief = RedisProxy::Mischief;

constexpr std::string_view kTag = "acme";

struct Outcomes {
  int right = 0;
  int wrong = 0;  // somebody else's value: never
  std::vector<OutageReason> reasons;

  [[nodiscard]] bool holds(OutageReason reason) const {
    return std::ranges::find(reasons, reason) != reasons.end();
  }
};

Task<void> call(RedisRig& rig, std::string word, Outcomes& outcomes) {
  std::vector<std::string> arguments = {word};
  const RunResult result = co_await rig.run(rig.echo, kTag, std::move(arguments));
  if (!result)
    outcomes.reasons.push_back(result.error().reason);
  else if (result->size() == 1 && result->front().text == word)
    ++outcomes.right;
  else
    ++outcomes.wrong;
}

// So many calls at a time.
Task<Outcomes> call_at_once(RedisRig& rig, int count) {
  Outcomes outcomes;
  runtime::TaskGroup group;
  for (int i = 0; i < count; ++i) group.spawn(call(rig, "word-" + std::to_string(i), outcomes));
  co_await group.join();
  co_return outcomes;
}

// Calls until one is answered, so that the breaker forgets what went before.
Task<void> recover(RedisRig& rig) {
  EXPECT_TRUE((co_await rig.until_answered(kTag, 5s)).has_value());
}

Task<void> swap_replies(RedisRig& rig, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    co_await recover(rig);
    const std::size_t before = rig.standing.mismatches();
    rig.proxy->do_mischief(Mischief::kSwap);
    const Outcomes outcomes = co_await call_at_once(rig, 4);
    EXPECT_EQ(outcomes.wrong, 0);
    EXPECT_TRUE(outcomes.holds(OutageReason::kMismatched));
    EXPECT_EQ(rig.standing.mismatches(), before + 1);
  }
}

TEST(RedisHygiene, EverySwappedReplyIsNoticed) {
  const RedisServer server;
  RedisRig rig(ThroughProxy{server.port()}, 1s);
  constexpr int kRounds = 100;
  rig.play(swap_replies(rig, kRounds));
  EXPECT_EQ(rig.log.count("store_mismatch"), kRounds);
}

Task<void> give_foreign_replies(RedisRig& rig, Mischief mischief) {
  for (int i = 0; i < 20; ++i) {
    co_await recover(rig);
    rig.proxy->do_mischief(mischief);
    const Outcomes outcomes = co_await call_at_once(rig, 2);
    EXPECT_EQ(outcomes.wrong, 0);
    co_await rig.pause(2ms);  // what comes unasked comes a little later
  }
  EXPECT_EQ(rig.standing.mismatches(), 20U);
}

// The reply of the call before, as a connection would hold it that was taken back too early.
TEST(RedisHygiene, EveryReplyToAnEarlierCallIsNoticed) {
  const RedisServer server;
  RedisRig rig(ThroughProxy{server.port()}, 1s);
  rig.play(give_foreign_replies(rig, Mischief::kStale));
}

TEST(RedisHygiene, EveryReplyThatComesTwiceIsNoticed) {
  const RedisServer server;
  RedisRig rig(ThroughProxy{server.port()}, 1s);
  rig.play(give_foreign_replies(rig, Mischief::kTwice));
}

Task<void> cut_everywhere(RedisRig& rig) {
  co_await recover(rig);
  const std::size_t size = rig.proxy->last_reply_bytes();
  EXPECT_GT(size, 40U);
  for (std::size_t i = 0; i < size; ++i) {
    co_await recover(rig);
    rig.proxy->cut_after(i);
    const Outcomes outcomes = co_await call_at_once(rig, 1);
    EXPECT_EQ(outcomes.right + outcomes.wrong, 0) << i;
    EXPECT_TRUE(outcomes.holds(i == 0 ? OutageReason::kAway : OutageReason::kMalformed)) << i;
  }
}

TEST(RedisHygiene, AReplyIsCutAtEveryByte) {
  const RedisServer server;
  RedisRig rig(ThroughProxy{server.port()}, 1s);
  rig.play(cut_everywhere(rig));
}

Task<void> dribble(RedisRig& rig) {
  co_await recover(rig);
  rig.proxy->do_mischief(Mischief::kByteByByte);
  const Outcomes outcomes = co_await call_at_once(rig, 50);
  EXPECT_EQ(outcomes.right, 50);
}

TEST(RedisHygiene, RepliesMayComeByteByByte) {
  const RedisServer server;
  RedisRig rig(ThroughProxy{server.port()}, 1s);
  rig.play(dribble(rig));
  EXPECT_EQ(rig.standing.mismatches(), 0U);
}

Task<void> talk_nonsense(RedisRig& rig) {
  for (int i = 0; i < 5; ++i) {
    co_await recover(rig);
    rig.proxy->do_mischief(Mischief::kGarbage);
    const Outcomes outcomes = co_await call_at_once(rig, 2);
    EXPECT_EQ(outcomes.right + outcomes.wrong, 0);
    EXPECT_TRUE(outcomes.holds(OutageReason::kMalformed));
  }
}

TEST(RedisHygiene, NonsenseEndsTheConnection) {
  const RedisServer server;
  RedisRig rig(ThroughProxy{server.port()}, 1s);
  rig.play(talk_nonsense(rig));
}

Task<void> give_up_at_random(RedisRig& rig, const RedisServer& server) {
  co_await recover(rig);
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(server.ask("CLIENT PAUSE 20 ALL"), "OK");
    const Outcomes outcomes = co_await call_at_once(rig, 20);  // all of them time out
    EXPECT_EQ(outcomes.wrong, 0);
    EXPECT_EQ(outcomes.right, 0);
    EXPECT_TRUE(outcomes.holds(OutageReason::kTimedOut));
    co_await recover(rig);
    const Outcomes after = co_await call_at_once(rig, 20);
    EXPECT_EQ(after.right, 20);
  }
}

// The incident of 2023: replies to calls that were given up are read by nobody.
TEST(RedisHygiene, WhatWasGivenUpIsNeverReadByOthers) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()), 5ms);
  rig.play(give_up_at_random(rig, server));
  EXPECT_EQ(rig.standing.mismatches(), 0U);
}

}  // namespace
}  // namespace penstock::store::redis
