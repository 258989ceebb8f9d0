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
#include "store/redis/endpoint.h"
#include "store/redis/outage.h"
#include "store/redis/script.h"
#include "store/redis/value.h"
#include "tests/socket/redis_rig.h"
#include "tests/socket/redis_server.h"

namespace penstock::store::redis {
namespace {

using runtime::Task;

// The number behind `name` in what INFO says.
int info_number(const RedisServer& server, std::string_view section, std::string_view name) {
  const std::string info = server.ask("INFO " + std::string(section));
  const std::size_t at = info.find(name);
  return at == std::string::npos ? 0 : std::stoi(info.substr(at + name.size()));
}

// Runs the echo with a word and expects that very word.
Task<void> expect_echo(RedisRig& rig, std::string_view tag, std::string word) {
  std::vector<std::string> arguments = {word};
  const RunResult result = co_await rig.run(rig.echo, tag, std::move(arguments));
  EXPECT_TRUE(result.has_value());
  if (!result) co_return;
  EXPECT_EQ(result->size(), 1U);
  EXPECT_EQ(result->front().text, word);
}

Task<void> run_twice(RedisRig& rig, const Script& script) {
  for (int i = 0; i < 2; ++i) {
    std::vector<std::string> arguments = {"a \r\n b", "c"};
    const RunResult result = co_await rig.run(script, "acme", std::move(arguments));
    EXPECT_TRUE(result.has_value());
    if (!result) co_return;
    EXPECT_EQ(result->size(), 5U);
    EXPECT_EQ((*result)[0].integer, 2);
    EXPECT_EQ((*result)[1].text, "a \r\n b");
    EXPECT_EQ((*result)[2].text, "test:{acme}:q");
    EXPECT_EQ((*result)[3].kind, ValueKind::kNil);
    EXPECT_EQ((*result)[4].list.size(), 2U);
  }
}

TEST(RedisClient, SendsAScriptsTextOnceAndThenItsName) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  const Script script("return {id, #ARGV, ARGV[1], KEYS[1], false, {1, 2}}");
  rig.play(run_twice(rig, script));
  EXPECT_EQ(info_number(server, "commandstats", "cmdstat_evalsha:calls="), 2);
  EXPECT_EQ(info_number(server, "commandstats", "cmdstat_script|load:calls="), 1);
  EXPECT_EQ(info_number(server, "commandstats", "cmdstat_eval:calls="), 1);  // the probe
  EXPECT_FALSE(rig.standing.degraded());
}

Task<void> run_many(RedisRig& rig) {
  runtime::TaskGroup group;
  for (int i = 0; i < 300; ++i) group.spawn(expect_echo(rig, "acme", std::to_string(i)));
  EXPECT_EQ(group.running(), 300U);  // all of them are on their way
  co_await group.join();
}

// Each of many at a time gets its own reply, over one connection.
TEST(RedisClient, HasManyCommandsOnOneConnection) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()), 5s);
  rig.play(run_many(rig));
  EXPECT_EQ(info_number(server, "stats", "total_connections_received:"), 2);  // INFO is the other
}

Task<void> flush_between(RedisRig& rig, const RedisServer& server) {
  co_await expect_echo(rig, "acme", "before");
  EXPECT_EQ(server.ask("SCRIPT FLUSH"), "OK");
  runtime::TaskGroup group;
  for (int i = 0; i < 5; ++i) group.spawn(expect_echo(rig, "acme", std::to_string(i)));
  co_await group.join();
}

TEST(RedisClient, SurvivesThatTheScriptsAreForgotten) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  rig.play(flush_between(rig, server));
  EXPECT_EQ(rig.standing.failures(OutageReason::kScript), 0U);
}

Task<void> post_and_run(RedisRig& rig, const Script& add, const Script& get) {
  for (int i = 0; i < 100; ++i) rig.post(add, "acme", {"3"});
  const RunResult result = co_await rig.run(get, "acme", {});
  EXPECT_TRUE(result.has_value());
  if (result) EXPECT_EQ(result->front().text, "300");
}

// What is posted is not waited for and comes before what is run after it.
TEST(RedisClient, PostsInOrder) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  const Script add("return {id, redis.call('INCRBY', KEYS[1], ARGV[1])}");
  const Script get("return {id, redis.call('GET', KEYS[1])}");
  rig.play(post_and_run(rig, add, get));
  EXPECT_EQ(rig.standing.drops(), 0U);
}

Task<void> run_once(RedisRig& rig, const Script& script) {
  const std::vector<std::string> words{"0"};
  const RunResult result = co_await rig.run(script, "acme", words);
  EXPECT_TRUE(result.has_value());
}

Task<void> post_and_run_once(RedisRig& rig, const Script& add, const Script& get) {
  co_await expect_echo(rig, "acme", "there is a connection");
  rig.post(add, "acme", {"3"});
  const RunResult result = co_await rig.run(get, "acme", {});
  EXPECT_TRUE(result.has_value());
  if (result) EXPECT_EQ(result->front().text, "3");
}

// A script that the store does not know does not run behind one that it knows and got later.
TEST(RedisClient, PostsInOrderWhatTheStoreDoesNotKnow) {
  const RedisServer server;
  const Script add("return {id, redis.call('INCRBY', KEYS[1], ARGV[1])}");
  const Script get("return {id, redis.call('GET', KEYS[1])}");
  RedisRig first(endpoint_at(server.port()));
  first.play(run_once(first, get));
  RedisRig rig(endpoint_at(server.port()));
  rig.play(post_and_run_once(rig, add, get));
  EXPECT_EQ(rig.standing.drops(), 0U);
}

Task<void> post_only(RedisRig& rig, const Script& add) {
  co_await expect_echo(rig, "acme", "there is a connection");
  for (int i = 0; i < 100; ++i) rig.post(add, "acme", {"1"});
}

TEST(RedisClient, SendsWhatWasPostedBeforeItCloses) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  const Script add("return {id, redis.call('INCRBY', KEYS[1], ARGV[1])}");
  rig.play(post_only(rig, add));
  EXPECT_EQ(server.ask("GET test:{acme}:q"), "100");
  EXPECT_EQ(rig.standing.drops(), 0U);
}

Task<void> fail_script(RedisRig& rig, const Script& broken, const Script& wrong) {
  for (int i = 0; i < 10; ++i) {
    const RunResult result = co_await rig.run(broken, "acme", {});
    EXPECT_FALSE(result.has_value());
    if (!result) EXPECT_EQ(result.error().reason, OutageReason::kScript);
    if (!result) EXPECT_EQ(result.error().effect, Effect::kUnknown);
  }
  EXPECT_TRUE(rig.client.available("acme"));
  const RunResult result = co_await rig.run(wrong, "acme", {});
  EXPECT_FALSE(result.has_value());
  if (!result) EXPECT_EQ(result.error().reason, OutageReason::kScript);
}

// A fault of ours says nothing about the store: the breaker does not care.
TEST(RedisClient, AScriptThatFailsIsNoOutageOfTheNode) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  const Script broken("return redis.call('INCRBY', KEYS[1], 'no number')");
  const Script wrong("this is no Lua");
  rig.play(fail_script(rig, broken, wrong));
  EXPECT_EQ(rig.standing.failures(OutageReason::kScript), 11U);
}

Task<void> close_between(RedisRig& rig, const RedisServer& server) {
  co_await expect_echo(rig, "acme", "before");
  EXPECT_EQ(server.ask("CLIENT KILL TYPE normal"), "1");
  co_await rig.pause(30ms);
  co_await expect_echo(rig, "acme", "after");
  EXPECT_TRUE(rig.client.available("acme"));
}

TEST(RedisClient, ReplacesAnIdleConnectionThatWasClosed) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  rig.play(close_between(rig, server));
  EXPECT_EQ(rig.standing.failures(OutageReason::kAway), 0U);
}

Task<void> choose_database(RedisRig& rig, const Script& set) {
  const std::vector<std::string> words{"v"};
  const RunResult result = co_await rig.run(set, "acme", words);
  EXPECT_TRUE(result.has_value());
}

TEST(RedisClient, ChoosesTheDatabase) {
  const RedisServer server;
  Endpoint endpoint = endpoint_at(server.port());
  endpoint.database = 3;
  RedisRig rig(std::move(endpoint));
  const Script set("redis.call('SET', KEYS[1], ARGV[1]) return {id}");
  rig.play(choose_database(rig, set));
  EXPECT_NE(server.ask("INFO keyspace").find("db3:keys=1"), std::string::npos);
}

Task<void> forget_the_id(RedisRig& rig, const Script& script, OutageReason reason) {
  co_await expect_echo(rig, "acme", "before");
  const RunResult result = co_await rig.run(script, "acme", {});
  EXPECT_FALSE(result.has_value());
  if (!result) EXPECT_EQ(result.error().reason, reason);
  co_await expect_echo(rig, "acme", "on a connection of its own");
}

TEST(RedisClient, AReplyWithoutItsIdEndsTheConnection) {
  const RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  rig.play(forget_the_id(rig, Script("return {'other', 1}"), OutageReason::kMismatched));
  EXPECT_EQ(rig.standing.mismatches(), 1U);
  EXPECT_EQ(rig.log.count("store_mismatch"), 1);
  RedisRig again(endpoint_at(server.port()));
  again.play(forget_the_id(again, Script("return 1"), OutageReason::kMalformed));
}

}  // namespace
}  // namespace penstock::store::redis
