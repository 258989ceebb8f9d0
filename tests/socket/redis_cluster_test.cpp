#include "tests/socket/redis_cluster.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/units.h"
#include "runtime/task.h"
#include "store/redis/client.h"
#include "store/redis/outage.h"
#include "store/redis/script.h"
#include "store/redis/slot.h"
#include "tests/socket/redis_rig.h"

namespace penstock::store::redis {
namespace {

using runtime::Task;

Task<void> add_one(RedisRig& rig, const Script& add, std::string tag, std::string expected) {
  const RunResult result = co_await rig.run(add, tag, {});
  EXPECT_TRUE(result.has_value()) << tag;
  if (!result) co_return;
  EXPECT_EQ(std::to_string(result->front().integer), expected) << tag;
}

Task<void> use_all_nodes(RedisRig& rig, const RedisCluster& cluster, const Script& add) {
  co_await add_one(rig, add, RedisCluster::tag_of(0), "1");
  for (int round = 1; round <= 3; ++round)
    for (int i = 0; i < 30; ++i)
      co_await add_one(rig, add, "t" + std::to_string(i), std::to_string(round));
  // By now it knows whom to ask.
  for (std::size_t i = 0; i < RedisCluster::kNodes; ++i) cluster.ask(i, "CONFIG RESETSTAT");
  for (int i = 0; i < 30; ++i) co_await add_one(rig, add, "t" + std::to_string(i), "4");
}

TEST(RedisCluster, FollowsMovedOnceAndRemembersIt) {
  const RedisCluster cluster;
  RedisRig rig(endpoint_at(cluster.port(0)), 1s);
  const Script add("return {id, redis.call('INCR', KEYS[1])}");
  rig.play(use_all_nodes(rig, cluster, add));
  for (std::size_t i = 0; i < RedisCluster::kNodes; ++i) {
    EXPECT_EQ(cluster.ask(i, "INFO errorstats").find("MOVED"), std::string::npos);
    EXPECT_NE(cluster.ask(i, "INFO commandstats").find("cmdstat_evalsha"), std::string::npos);
  }
}

Task<void> move_a_slot(RedisRig& rig, RedisCluster& cluster, const Script& add) {
  const std::string tag = RedisCluster::tag_of(1);
  const std::string slot = std::to_string(slot_of_tag(tag));
  co_await add_one(rig, add, tag, "1");
  EXPECT_EQ(cluster.ask(2, "CLUSTER SETSLOT " + slot + " IMPORTING " + cluster.id(1)), "OK");
  EXPECT_EQ(cluster.ask(1, "CLUSTER SETSLOT " + slot + " MIGRATING " + cluster.id(2)), "OK");
  co_await add_one(rig, add, tag, "2");  // the key is still there
  EXPECT_EQ(cluster.ask(1, "MIGRATE 127.0.0.1 " + std::to_string(cluster.port(2)) + " test:{" +
                               tag + "}:q 0 1000"),
            "OK");
  co_await add_one(rig, add, tag, "3");  // ASK, every time
  co_await add_one(rig, add, tag, "4");
  EXPECT_NE(cluster.ask(2, "INFO commandstats").find("cmdstat_asking:calls=2"), std::string::npos);
  for (const std::size_t node : {2U, 1U, 0U})
    EXPECT_EQ(cluster.ask(node, "CLUSTER SETSLOT " + slot + " NODE " + cluster.id(2)), "OK");
  co_await add_one(rig, add, tag, "5");  // MOVED
  co_await add_one(rig, add, tag, "6");
}

TEST(RedisCluster, FollowsASlotThatIsBeingMoved) {
  RedisCluster cluster;
  RedisRig rig(endpoint_at(cluster.port(0)), 1s);
  const Script add("return {id, redis.call('INCR', KEYS[1])}");
  rig.play(move_a_slot(rig, cluster, add));
  EXPECT_EQ(rig.standing.mismatches(), 0U);
}

Task<void> lose_a_node(RedisRig& rig, RedisCluster& cluster, const Script& add) {
  const std::string well = RedisCluster::tag_of(0);
  const std::string ill = RedisCluster::tag_of(1);
  co_await add_one(rig, add, well, "1");
  co_await add_one(rig, add, ill, "1");
  cluster.node(1).freeze();
  for (int i = 0; i < 12; ++i) {
    const RunResult result = co_await rig.run(add, ill, {});
    EXPECT_FALSE(result.has_value());
  }
  EXPECT_TRUE(rig.standing.degraded());
  const TimePoint began = rig.clock.now();
  for (int i = 2; i < 20; ++i) {
    co_await add_one(rig, add, well, std::to_string(i));  // nobody else suffers
    const RunResult result = co_await rig.run(add, ill, {});
    EXPECT_FALSE(result.has_value());
  }
  EXPECT_LT(rig.clock.now() - began, 1s);  // and nobody waits for the one that is away
  cluster.node(1).thaw();
  const std::optional<Duration> took = co_await rig.until_answered(ill, 10s);
  EXPECT_TRUE(took.has_value());
  EXPECT_FALSE(rig.standing.degraded());
}

TEST(RedisCluster, ANodeThatIsAwayIsAwayForItsSlotsOnly) {
  RedisCluster cluster;
  RedisRig rig(endpoint_at(cluster.port(0)));
  const Script add("return {id, redis.call('INCR', KEYS[1])}");
  rig.play(lose_a_node(rig, cluster, add));
}

// Calls while the cluster still names the node that is gone: until that is left alone, and on.
Task<void> call_in_vain(RedisRig& rig, const std::string& tag) {
  const TimePoint began = rig.clock.now();
  int calls = 0;
  while (rig.clock.now() - began < 1s) {
    ++calls;
    std::vector<std::string> arguments = {"x"};
    const RunResult result = co_await rig.run(rig.echo, tag, std::move(arguments));
    EXPECT_FALSE(result.has_value());
    co_await rig.pause(2ms);
  }
  EXPECT_TRUE(rig.standing.degraded());
  EXPECT_GT(calls, 50);
}

int moved_of(const RedisCluster& cluster, std::size_t node) {
  constexpr std::string_view kCount = "errorstat_MOVED:count=";
  const std::string stats = cluster.ask(node, "INFO errorstats");
  const std::size_t at = stats.find(kCount);
  return at == std::string::npos ? 0 : std::stoi(stats.substr(at + kCount.size()));
}

Task<void> inherit(RedisRig& rig, RedisCluster& cluster, std::size_t dead, std::size_t heir) {
  const std::string tag = RedisCluster::tag_of(dead);
  const std::string slot = std::to_string(slot_of_tag(tag));
  for (std::size_t i = 0; i < RedisCluster::kNodes; ++i) {  // it knows all of them
    const std::optional<Duration> known = co_await rig.until_answered(RedisCluster::tag_of(i), 1s);
    EXPECT_TRUE(known.has_value());
  }
  const std::string id = cluster.id(heir);
  cluster.node(dead).kill();
  int moved = 0;
  for (std::size_t i = 0; i < RedisCluster::kNodes; ++i)
    if (i != dead) moved -= moved_of(cluster, i);
  co_await call_in_vain(rig, tag);
  for (std::size_t i = 0; i < RedisCluster::kNodes; ++i)
    if (i != dead) moved += moved_of(cluster, i);
  EXPECT_GE(moved, 2);  // they are asked who has it,
  EXPECT_LE(moved, 5);  // four times a second
  for (std::size_t i = 0; i < RedisCluster::kNodes; ++i)
    if (i != dead)
      EXPECT_EQ(cluster.ask(i, fmt::format("CLUSTER SETSLOT {} NODE {}", slot, id)), "OK");
  const std::optional<Duration> took = co_await rig.until_answered(tag, 2s);
  EXPECT_TRUE(took.has_value());
  EXPECT_TRUE(rig.standing.degraded());  // the other slots of the dead one
}

// Whoever takes over the slots of a node that died is found, also when that was the configured one,
// and also when the others were asked too early.
TEST(RedisCluster, FindsWhoTookOverTheSlotsOfADeadNode) {
  for (const std::size_t dead : {1U, 0U}) {
    RedisCluster cluster;
    RedisRig rig(endpoint_at(cluster.port(0)));
    rig.play(inherit(rig, cluster, dead, 2));
  }
}

// Only two nodes are known. Of the configured one's slots one goes to the other, then it dies.
Task<void> inherit_alone(RedisRig& rig, RedisCluster& cluster) {
  const std::string tag = RedisCluster::tag_of(0);
  for (const std::size_t i : {0U, 2U}) {
    const std::optional<Duration> known = co_await rig.until_answered(RedisCluster::tag_of(i), 1s);
    EXPECT_TRUE(known.has_value());
  }
  const std::string heir = cluster.id(2);
  cluster.node(0).kill();
  for (const std::size_t i : {1U, 2U})
    EXPECT_EQ(cluster.ask(i, fmt::format("CLUSTER SETSLOT {} NODE {}", slot_of_tag(tag), heir)),
              "OK");
  const std::optional<Duration> took = co_await rig.until_answered(tag, 2s);
  EXPECT_TRUE(took.has_value());
  for (int i = 0; i < 20; ++i) {
    std::vector<std::string> arguments = {"x"};
    const RunResult result = co_await rig.run(rig.echo, tag, std::move(arguments));
    EXPECT_TRUE(result.has_value()) << i;
  }
}

// The one that is asked who has the slot may have it itself: it is asked from then on.
TEST(RedisCluster, WhoIsAskedForASlotAndHasItKeepsIt) {
  RedisCluster cluster;
  RedisRig rig(endpoint_at(cluster.port(0)));
  rig.play(inherit_alone(rig, cluster));
}

Task<void> lose_slots(RedisRig& rig, const RedisCluster& cluster) {
  const std::string tag = RedisCluster::tag_of(0);
  const std::string slot = std::to_string(slot_of_tag(tag));
  EXPECT_TRUE((co_await rig.until_answered(tag, 1s)).has_value());
  EXPECT_EQ(cluster.ask(0, "CLUSTER DELSLOTS " + slot), "OK");
  std::vector<std::string> arguments = {"x"};
  const RunResult result = co_await rig.run(rig.echo, tag, std::move(arguments));
  EXPECT_FALSE(result.has_value());
  if (!result) EXPECT_EQ(result.error().reason, OutageReason::kClusterDown);
}

TEST(RedisCluster, ASlotThatNobodyServesIsAnOutage) {
  const RedisCluster cluster;
  RedisRig rig(endpoint_at(cluster.port(0)), 1s);
  rig.play(lose_slots(rig, cluster));
}

}  // namespace
}  // namespace penstock::store::redis
