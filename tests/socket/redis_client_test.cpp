#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/redis/client.h"
#include "store/redis/outage.h"
#include "store/redis/script.h"
#include "store/redis/value.h"
#include "tests/socket/redis_rig.h"
#include "tests/socket/redis_server.h"

namespace penstock::store::redis {
namespace {

using runtime::Task;

TEST(RedisClient, RunsAScriptThatTheServerDidNotKnow) {
  RedisServer server;
  RedisRig rig(endpoint_at(server.port()));
  const Script script("return {id, #ARGV, ARGV[1], KEYS[1], false, {1, 2}}");
  const auto body = [](RedisRig& rig, const Script& script) -> Task<void> {
    for (int i = 0; i < 2; ++i) {  // EVAL, then by its name
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
  };
  rig.play(body(rig, script));
  EXPECT_EQ(server.ask("INFO commandstats").find("cmdstat_eval:calls=3"), std::string::npos);
  EXPECT_FALSE(rig.standing.degraded());
}

}  // namespace
}  // namespace penstock::store::redis
