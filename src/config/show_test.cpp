#include "config/show.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/load.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

LoadResult loaded(std::string_view text) {
  support::MemoryDisk disk;
  support::MemorySecrets secrets;
  secrets.put("env:KEY", "sk-4711");
  disk.put("etc/penstock.yaml", std::string(text));
  return load("etc/penstock.yaml", disk, secrets);
}

constexpr std::string_view kFull =
    "version: 1\nworkers: 2\nlisten: { data: \"[::1]:0\", balancer_idle: 2m }\nadmin: { token: "
    "env:KEY }\n"
    "tenants:\n  retail:\n    tier: external\n    limits: { requests: 200k/min, burst: "
    "9, in_flight: 3 }\n    keys: [ { id: k1, sha256: "
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, workload: w, expires: "
    "2027-06-30T00:00:00Z } ]\n    workloads: { w: { priority: batch, limits: { requests: 6/h } } "
    "}\n"
    "providers:\n  p:\n    dialect: openai\n    replicas: [ http://a, { url: http://b, weight: 2 } "
    "]\n"
    "    key: env:KEY\n    tls: { ca: env:KEY }\n"
    "models:\n  gpt-5.1: { targets: [ {provider: p, model: x}, {provider: p, model: \"a#b:\"} ] }\n"
    "  \"null\": { targets: [ {provider: p, model: x} ] }\n"
    "telemetry: { access_log: \"file:a b\" }\n";

TEST(Show, TellsValuesAndTheirOrigin) {
  const LoadResult got = loaded(kFull);
  const std::string said = show(got);
  EXPECT_NE(said.find("workers: 2  # penstock.yaml:2\n"), std::string::npos) << said;
  EXPECT_NE(said.find("  heartbeat: 15s  # default\n"), std::string::npos) << said;
  EXPECT_NE(said.find("key: env:KEY  # penstock.yaml:15\n"), std::string::npos) << said;
  EXPECT_NE(said.find("      requests: 200k/min  # penstock.yaml:"), std::string::npos) << said;
  EXPECT_EQ(said.find("4711"), std::string::npos) << said;
}

// What it prints is a config file: the same values come back.
TEST(Show, LoadsAgainToTheSame) {
  for (const std::string_view text : {kFull, std::string_view("version: 1\nlisten: {}\n")}) {
    const LoadResult first = loaded(text);
    ASSERT_TRUE(first.ok()) << rendered(first.problems, "f").front();
    const std::string said = show(first);
    const LoadResult second = loaded(said);
    ASSERT_TRUE(second.ok()) << rendered(second.problems, "f").front() << said;
    const auto values = [](const std::string& shown) {
      std::string kept;
      for (std::size_t at = 0; at < shown.size();) {
        const std::size_t end = shown.find('\n', at);
        const std::string line = shown.substr(at, end - at);
        kept += line.substr(0, line.rfind("  # ")) + "\n";
        at = end + 1;
      }
      return kept;
    };
    EXPECT_EQ(values(show(second)), values(said));
  }
}

}  // namespace
}  // namespace penstock::config
