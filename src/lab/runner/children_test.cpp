#include "lab/runner/children.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/load.h"
#include "lab/runner/call_record.h"
#include "lab/runner/gateway_plan.h"

namespace penstock::lab {
namespace {

// The ports stand in the line of readiness, wherever it is among others.
TEST(ListeningPort, IsReadFromTheLineOfReadiness) {
  const std::string text =
      "warming up\n{\"level\":\"warn\",\"msg\":\"dev\"}\n"
      "{\"msg\":\"listening\",\"data\":\"127.0.0.1:43111\",\"admin\":\"127.0.0.1:5\"}\n";
  EXPECT_EQ(listening_port(text, "data"), 43111);
  EXPECT_EQ(listening_port(text, "admin"), 5);
  EXPECT_EQ(listening_port(text, "mock"), std::nullopt);
  EXPECT_EQ(listening_port("{\"msg\":\"listening\",\"data\":\"127.0", "data"), std::nullopt);
}

// An open loop in phases names neither a rate nor a concurrency of its own.
TEST(LoadArguments, SayWhatTheOptionsSay) {
  LoadOptions options;
  options.url = "http://u:1";
  options.model = "m";
  options.records = "r";
  options.phases = {{3, 10s}, {40, 500ms}};
  options.retries = 2;
  options.stream = true;
  const std::vector<std::string> wanted{
      "load",      "--url",    "http://u:1", "--model", "m",       "--json",
      "--records", "r",        "--timeout",  "60s",     "--phase", "3:10s",
      "--phase",   "40:500ms", "--retries",  "2",       "--stream"};
  EXPECT_EQ(load_arguments(options), wanted);
  EXPECT_EQ(planned(options), 50U);
}

// A retry is not part of what was to be offered, and one begun late was not offered in time.
TEST(LoadArguments, CountWhatWasBegunInTime) {
  Calls calls(4);
  calls[1].attempt = 2;
  calls[2].late = 200'000;
  calls[3].end = "not_sent";
  EXPECT_EQ(begun_in_time(calls), 1U);
}

// A client that begins its next request at the instant its last one ended has one under way.
TEST(LoadArguments, CountWhatWasUnderWayTogether) {
  EXPECT_EQ(most_at_once({}), 0U);
  Calls calls(4);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].start = std::array{0, 100, 50, 60}[i];
    calls[i].total = std::array{100, 10, 20, 5}[i];
  }
  EXPECT_EQ(most_at_once(calls), 3U);
}

TEST(GatewayPlan, BecomesAConfiguration) {
  GatewayPlan plan = one_provider({"http://127.0.0.1:9"}, "balance: least_request");
  plan.sections = {"retry: { budget: 10% }"};
  plan.tenants = tenant_text("a", "key", "{ requests: 10/s }");
  EXPECT_EQ(config_text(plan, "log"),
            "version: 1\nworkers: 1\nlisten: { data: 127.0.0.1:0, admin: 127.0.0.1:0 }\n"
            "auth: { mode: keys }\ntelemetry: { access_log: 'file:log' }\nproviders:\n"
            "  stable: { dialect: openai, replicas: [ http://127.0.0.1:9 ], "
            "balance: least_request }\nmodels:\n"
            "  chat: { targets: [ { provider: stable, model: mock } ] }\n"
            "retry: { budget: 10% }\ndrain: { settle: 0s, timeout: 1s }\ntenants:\n  a:\n    "
            "limits: { requests: 10/s }\n"
            "    keys: [ { id: a-1, sha256: "
            "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683, workload: main } ]\n"
            "    workloads: { main: {} }\n");
}

}  // namespace
}  // namespace penstock::lab
