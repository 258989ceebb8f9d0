#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/secret.h"
#include "base/units.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/redis/client.h"
#include "store/redis/endpoint.h"
#include "store/redis/outage.h"
#include "store/redis/script.h"
#include "tests/socket/redis_rig.h"
#include "tests/socket/redis_server.h"

namespace penstock::store::redis {
namespace {

using runtime::Task;

constexpr std::string_view kTag = "acme";
constexpr Duration kSlack = 200ms;  // of a machine that has other things to do
constexpr Duration kBackWithin = 2s;

// What calls met while the store was away, until the client left it alone.
struct Met {
  std::vector<OutageReason> reasons;
  Duration longest{};
};

Task<Met> call_until_left_alone(RedisRig& rig) {
  Met met;
  const TimePoint began = rig.clock.now();
  while (rig.client.available(kTag) && rig.clock.now() - began < 5s) {
    const TimePoint asked = rig.clock.now();
    std::vector<std::string> arguments = {"x"};
    const RunResult result = co_await rig.run(rig.echo, kTag, std::move(arguments));
    met.longest = std::max(met.longest, rig.clock.now() - asked);
    EXPECT_FALSE(result.has_value());
    if (!result) met.reasons.push_back(result.error().reason);
  }
  EXPECT_FALSE(rig.client.available(kTag));
  EXPECT_TRUE(rig.standing.degraded());
  co_return met;
}

Task<void> call_once(RedisRig& rig, std::optional<RunResult>& into) {
  std::vector<std::string> arguments = {"x"};
  into = co_await rig.run(rig.echo, kTag, std::move(arguments));
}

bool info_says(const RedisServer& server, std::string_view section, std::string_view line) {
  return server.ask("INFO " + std::string(section)).find(line) != std::string::npos;
}

// While the breaker is open a call ends before it has waited for anything.
void expect_no_wait(RedisRig& rig) {
  runtime::TaskGroup group;
  std::optional<RunResult> result;
  group.spawn(call_once(rig, result));
  EXPECT_EQ(group.running(), 0U);
  ASSERT_TRUE(result.has_value());
  ASSERT_FALSE(result->has_value());
  EXPECT_EQ(result->error().reason, OutageReason::kOpen);
  EXPECT_EQ(result->error().effect, Effect::kNone);
}

Task<void> expect_back(RedisRig& rig) {
  const std::optional<Duration> took = co_await rig.until_answered(kTag, kBackWithin + kSlack);
  EXPECT_TRUE(took.has_value());
  EXPECT_TRUE(rig.client.available(kTag));
  EXPECT_FALSE(rig.standing.degraded());
}

Task<void> expect_answer(RedisRig& rig) {
  const std::optional<Duration> took = co_await rig.until_answered(kTag, 1s);
  EXPECT_TRUE(took.has_value());
}

Task<void> freeze_and_thaw(RedisRig& rig, RedisServer& server) {
  co_await expect_answer(rig);
  server.freeze();
  const TimePoint began = rig.clock.now();
  const Met met = co_await call_until_left_alone(rig);
  EXPECT_LE(met.longest, 50ms + kSlack);
  EXPECT_LE(met.reasons.size(), 5U);
  EXPECT_LE(rig.clock.now() - began, 250ms + kSlack);
  EXPECT_EQ(met.reasons.front(), OutageReason::kTimedOut);
  expect_no_wait(rig);
  co_await rig.pause(2500ms);  // two probes, without an answer
  expect_no_wait(rig);
  server.thaw();
  co_await expect_back(rig);
}

// source: reliability.md G11.
TEST(RedisOutage, AFrozenServerCostsFiveCallsAtMostAndComesBack) {
  RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  rig.play(freeze_and_thaw(rig, server));
  EXPECT_EQ(rig.log.count("store away"), 1);  // changes are logged, requests are not
  EXPECT_EQ(rig.log.count("store back"), 1);
}

Task<void> kill_and_restart(RedisRig& rig, RedisServer& server) {
  co_await expect_answer(rig);
  server.kill();
  const Met met = co_await call_until_left_alone(rig);
  EXPECT_LE(met.longest, 50ms + kSlack);
  EXPECT_EQ(met.reasons.front(), OutageReason::kAway);
  expect_no_wait(rig);
  server.start();
  co_await expect_back(rig);
}

TEST(RedisOutage, AKilledServerIsFoundAgain) {
  RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  rig.play(kill_and_restart(rig, server));
}

// One way to make Redis refuse, and back.
struct Ailment {
  std::string_view name;
  std::vector<std::string_view> begin;
  std::vector<std::string_view> end;
  OutageReason reason;
};

Task<void> suffer(RedisRig& rig, const RedisServer& server, const Ailment& ailment) {
  co_await expect_answer(rig);
  for (const std::string_view command : ailment.begin) EXPECT_EQ(server.ask(command), "OK");
  const Met met = co_await call_until_left_alone(rig);
  EXPECT_EQ(met.reasons.front(), ailment.reason);
  EXPECT_LE(met.longest, 50ms + kSlack);
  expect_no_wait(rig);
  co_await rig.pause(1500ms);  // a probe meets it too, and does not close the breaker
  expect_no_wait(rig);
  for (const std::string_view command : ailment.end) EXPECT_EQ(server.ask(command), "OK");
  co_await expect_back(rig);
}

TEST(RedisOutage, EveryRefusalOfRedisIsAnOutageUntilItIsOver) {
  const std::array ailments = {
      Ailment{
          "full", {"CONFIG SET maxmemory 1"}, {"CONFIG SET maxmemory 0"}, OutageReason::kNoMemory},
      Ailment{"replica", {"REPLICAOF 127.0.0.1 1"}, {"REPLICAOF NO ONE"}, OutageReason::kReadOnly},
      Ailment{"stale replica",
              {"CONFIG SET replica-serve-stale-data no", "REPLICAOF 127.0.0.1 1"},
              {"REPLICAOF NO ONE"},
              OutageReason::kReadOnly},
      Ailment{"too few replicas",
              {"CONFIG SET min-replicas-to-write 1"},
              {"CONFIG SET min-replicas-to-write 0"},
              OutageReason::kReadOnly},
      Ailment{"paused", {"CLIENT PAUSE 4000 ALL"}, {"SET once over"}, OutageReason::kTimedOut},
      Ailment{"no permission",
              {"ACL SETUSER default resetkeys ~other:*"},
              {"ACL SETUSER default ~*"},
              OutageReason::kRefused},
  };
  for (const Ailment& ailment : ailments) {
    SCOPED_TRACE(ailment.name);
    const RedisServer server;
    RedisRig rig(endpoint_at(server.port()));
    rig.play(suffer(rig, server, ailment));
    EXPECT_EQ(rig.log.count("store away"), 1);
  }
}

Task<void> load_slowly(RedisRig& rig, RedisServer& server, const Script& fill) {
  const RunResult filled = co_await rig.run(fill, kTag, {});
  EXPECT_TRUE(filled.has_value());
  EXPECT_EQ(server.ask("SAVE"), "OK");
  server.kill();
  ignore(co_await call_until_left_alone(rig), "it is dead");
  server.start_slowly();
  EXPECT_EQ(server.ask("GET x").substr(0, 8), "-LOADING");
  co_await rig.pause(1400ms);
  expect_no_wait(rig);  // a probe was answered, and not as it should be
  const std::optional<Duration> took = co_await rig.until_answered(kTag, 10s);
  EXPECT_TRUE(took.has_value());
}

TEST(RedisOutage, AServerThatLoadsIsAway) {
  RedisServer server;
  RedisRig rig(endpoint_at(server.port()), 1s);
  const Script fill("for i = 1, 3000 do redis.call('SET', KEYS[1] .. i, i) end return {id}");
  rig.play(load_slowly(rig, server, fill));
}

Task<void> fail_to_save(RedisRig& rig, const RedisServer& server) {
  const std::string dump = server.folder() + "/dump.rdb";
  co_await expect_answer(rig);
  EXPECT_EQ(server.ask("CONFIG SET save \"3600 1\""), "OK");
  std::filesystem::create_directory(dump);  // so that no file can take its name
  EXPECT_EQ(server.ask("BGSAVE"), "Background saving started");
  while (!info_says(server, "persistence", "rdb_last_bgsave_status:err")) continue;
  const Met met = co_await call_until_left_alone(rig);
  EXPECT_EQ(met.reasons.front(), OutageReason::kReadOnly);
  co_await rig.pause(1500ms);
  expect_no_wait(rig);  // it answers, but takes no writes
  std::filesystem::remove(dump);
  EXPECT_EQ(server.ask("BGSAVE"), "Background saving started");
  while (!info_says(server, "persistence", "rdb_last_bgsave_status:ok")) continue;
  co_await expect_back(rig);
}

TEST(RedisOutage, AServerThatCannotSaveIsAwayUntilItCan) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  rig.play(fail_to_save(rig, server));
  EXPECT_EQ(rig.log.count("MISCONF"), 1);
}

Task<void> keep_busy(RedisRig& rig, const RedisServer& server) {
  co_await expect_answer(rig);
  EXPECT_EQ(server.ask("CONFIG SET busy-reply-threshold 10"), "OK");
  {
    const RedisTold told(server.port(), "EVAL \"while true do end\" 0");
    while (server.ask("GET x").substr(0, 5) != "-BUSY") continue;
    const Met met = co_await call_until_left_alone(rig);
    EXPECT_EQ(met.reasons.front(), OutageReason::kBusy);
    expect_no_wait(rig);
    EXPECT_EQ(server.ask("SCRIPT KILL"), "OK");
  }
  co_await expect_back(rig);
}

TEST(RedisOutage, AScriptOfSomebodyElseKeepsItBusy) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  rig.play(keep_busy(rig, server));
}

Task<void> be_impatient(RedisRig& rig, const RedisServer& server) {
  co_await expect_answer(rig);
  EXPECT_EQ(server.ask("CLIENT PAUSE 30 ALL"), "OK");
  const std::string key = "test:{acme}:q";
  const std::array<std::string_view, 1> keys = {key};
  const std::array<std::string_view, 1> words = {"x"};
  const Command command{rig.echo, keys, words};
  const RunResult result = co_await rig.client.run(command, rig.clock.now() + 5ms);
  EXPECT_FALSE(result.has_value());
  if (!result) EXPECT_EQ(result.error().reason, OutageReason::kDeadline);
  if (!result) EXPECT_EQ(result.error().effect, Effect::kUnknown);
  const RunResult late = co_await rig.client.run(command, rig.clock.now());
  EXPECT_FALSE(late.has_value());
  if (!late) EXPECT_EQ(late.error().effect, Effect::kNone);
  // The reply that nobody waited for is nobody else's.
  for (int i = 0; i < 20; ++i) co_await expect_answer(rig);
}

// A caller that is in a hurry harms neither the connection nor those who share it.
TEST(RedisOutage, ACallersDeadlineIsNoOutage) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()), 1s);
  rig.play(be_impatient(rig, server));
  EXPECT_EQ(rig.standing.mismatches(), 0U);
  EXPECT_EQ(rig.standing.failures(OutageReason::kDeadline), 2U);
  EXPECT_EQ(rig.standing.failures(OutageReason::kAway), 0U);
  EXPECT_FALSE(rig.standing.degraded());
}

Task<void> get_nowhere(RedisRig& rig, OutageReason reason) {
  const Met met = co_await call_until_left_alone(rig);
  EXPECT_EQ(met.reasons.front(), reason);
  expect_no_wait(rig);
}

Endpoint as(const RedisServer& server, std::string user, std::string password) {
  Endpoint endpoint = endpoint_at(server.port());
  endpoint.user = std::move(user);
  endpoint.password = Secret(std::move(password));
  return endpoint;
}

TEST(RedisOutage, AnAclUserMustHaveItsPassword) {
  const RedisServer server;
  EXPECT_EQ(server.ask("ACL SETUSER gate on >canary-word ~test:* -@all +eval +evalsha"), "OK");
  EXPECT_EQ(server.ask("ACL SETUSER default off"), "OK");
  RedisRig right(as(server, "gate", "canary-word"));
  right.play(expect_answer(right));
  for (const std::string_view password : {"canary-wrong", ""}) {
    RedisRig wrong(as(server, "gate", std::string(password)));
    wrong.play(get_nowhere(wrong, OutageReason::kRefused));
    EXPECT_EQ(wrong.log.count("canary"), 0);
    EXPECT_EQ(wrong.log.count("\"why\":\"refused\""), 1);
  }
}

}  // namespace
}  // namespace penstock::store::redis
