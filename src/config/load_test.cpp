#include "config/load.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/secret.h"
#include "config/problem.h"
#include "config/secrets.h"
#include "identity/auth_config.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

constexpr std::string_view kGood =
    "version: 1\nlisten: {}\nauth: {mode: dev}\n"
    "providers:\n  openai: { dialect: openai, replicas: [ https://api.openai.com ], key: env:KEY "
    "}\n"
    "models:\n  chat: { targets: [ {provider: openai, model: gpt-5-mini} ] }\n";

struct World {
  support::MemoryDisk disk;
  support::MemorySecrets secrets;

  LoadResult load_text(std::string_view text) {
    disk.put("etc/penstock.yaml", std::string(text));
    return load("etc/penstock.yaml", disk, secrets);
  }
};

std::string file_text(const std::string& path) {
  std::ifstream file(std::string(PENSTOCK_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool has_line(const std::vector<std::string>& lines, std::string_view start,
              std::string_view word) {
  for (const std::string& line : lines)
    if (line.starts_with(start) && line.find(word) != std::string::npos) return true;
  return false;
}

TEST(Load, TakesAGoodFileWithItsDefaults) {
  World world;
  world.secrets.put("env:KEY", "sk");
  const LoadResult got = world.load_text(kGood);
  EXPECT_TRUE(got.ok()) << rendered(got.problems, got.file).front();
  EXPECT_TRUE(got.warnings.empty());
  EXPECT_EQ(got.config.limits.in_flight, 2000U);
  EXPECT_EQ(got.config.stream.heartbeat, 15s);
  EXPECT_EQ(got.config.providers.find("openai")->timeouts.first_byte, 120s);
  EXPECT_EQ(got.config.auth.mode, identity::AuthMode::kDev);
}

// Every section but version and listen may be left out.
TEST(Load, TheSmallestFileIsVersionAndListen) {
  World world;
  EXPECT_TRUE(world.load_text("version: 1\nlisten: {}\n").ok());
  EXPECT_EQ(world.load_text("version: 1\n").problems.size(), 1U);
  EXPECT_EQ(world.load_text("").problems.size(), 2U);
  EXPECT_EQ(world.load_text("version: 2\nlisten: {}\n").problems.size(), 1U);
}

// One look at the file must be enough to mend it: each kind of problem, all in one go, by line.
TEST(Load, ReportsEveryProblemByLine) {
  World world;
  const LoadResult got = world.load_text(
      "version: 1\n"
      "listen: { data: 127.0.0.1:7100, admin: 127.0.0.1:7101 }\n"
      "auth: { mode: dev }\n"
      "limits: { in_flight: lots }\n"
      "providers:\n"
      "  openai: { dialect: openai, replicas: [ http://127.0.0.1:9 ] }\n"
      "  other:\n"
      "    dialect: opnai\n"
      "    replicas: [ http://127.0.0.1:9 ]\n"
      "    timeouts: { idle: 60 }\n"
      "models:\n"
      "  chat:\n"
      "    targets: [ { provider: opnai, model: m, weight: 1 } ]\n"
      "stream: { heartbeet: 15s }\n"
      "limits: { in_flight: 5 }\n");
  const std::vector<std::string> lines = rendered(got.problems, got.file);
  EXPECT_EQ(lines.size(), 6U);
  EXPECT_TRUE(has_line(lines, "etc/penstock.yaml:4:", "in_flight"));
  EXPECT_TRUE(has_line(lines, "etc/penstock.yaml:8:", "\"openai\""));
  EXPECT_TRUE(has_line(lines, "etc/penstock.yaml:10:", "idle"));
  EXPECT_TRUE(has_line(lines,
                       "etc/penstock.yaml:13:28: unknown provider \"opnai\" — did you mean "
                       "\"openai\"? (defined at line 6)",
                       ""));
  EXPECT_TRUE(has_line(lines, "etc/penstock.yaml:14:", "\"heartbeat\""));
  EXPECT_TRUE(has_line(lines, "etc/penstock.yaml:15:", "limits"));
}

// A key of a later version must not be taken for a slip of the finger, nor silently accepted.
TEST(Load, RefusesKeysOfLaterVersionsAsSuch) {
  World world;
  for (const char* section : {"prices", "alerts"}) {
    const LoadResult got =
        world.load_text(std::string("version: 1\nlisten: {}\n") + section + ": {}\n");
    EXPECT_TRUE(has_line(rendered(got.problems, got.file),
                         "etc/penstock.yaml:3:1: ", "is not in this version"))
        << section;
  }
  const LoadResult got = world.load_text(
      "version: 1\nlisten: {}\ntelemetry: { otlp: x }\n"
      "tenants: { t: { workloads: { w: { cache: {} } } } }\n"
      "providers: { p: { dialect: anthropic, replicas: [http://a], region: x, "
      "fetch_images: true } }\n");
  std::size_t later = 0;
  for (const std::string& line : rendered(got.problems, got.file))
    later += line.find("is not in this version") != std::string::npos ? 1U : 0U;
  EXPECT_EQ(later, 5U);
}

// However it is written: without a path the dialect's own is meant.
TEST(Load, FindsAReplicaThatStandsTwice) {
  World world;
  const auto problems = [&](const std::string& replicas) {
    return world
        .load_text(
            "version: 1\nlisten: {}\nauth: { mode: dev }\nproviders: { p: { dialect: openai, "
            "replicas: [ " +
            replicas + " ] } }\n")
        .problems.size();
  };
  EXPECT_EQ(problems("http://a:1, http://a:1/x, http://a:2, https://a:1"), 0U);
  EXPECT_EQ(problems("http://a:1, http://a:1/"), 1U);
  EXPECT_EQ(problems("http://a:1, http://a:1/v1, http://A:1/v1/"), 2U);
}

TEST(Load, AMissingFileIsOneProblem) {
  const World world;
  const LoadResult got = load("absent.yaml", world.disk, world.secrets);
  ASSERT_EQ(got.problems.size(), 1U);
  EXPECT_EQ(rendered(got.problems, got.file).front().find("absent.yaml: "), 0U);
}

// Half a file says nothing about what is missing.
TEST(Load, BrokenSyntaxIsOneProblem) {
  World world;
  EXPECT_EQ(world.load_text("version: 1\nlisten: [\n").problems.size(), 1U);
}

TEST(Load, NamesTheMissingSecret) {
  World world;
  const LoadResult got = world.load_text(kGood);
  ASSERT_EQ(got.problems.size(), 1U);
  EXPECT_NE(got.problems[0].text.find("env:KEY is not set"), std::string::npos);
  EXPECT_EQ(got.problems[0].mark.line, 5U);
  world.secrets.put("env:KEY", "");
  EXPECT_EQ(world.load_text(kGood).problems.size(), 1U);
}

// A service does not choose its working directory.
TEST(Load, FilesOfSecretsStartAtTheFolderOfTheConfig) {
  World world;
  const std::string text =
      "version: 1\nlisten: { tls: { certificate: file:tls/c.pem, key: file:/abs/k.pem } }\n";
  EXPECT_EQ(world.load_text(text).problems.size(), 2U);
  world.secrets.put("file:etc/tls/c.pem", "pem");
  world.secrets.put("file:/abs/k.pem", "pem");
  const LoadResult got = world.load_text(text);
  ASSERT_TRUE(got.ok());
  const Result<Secret> secret = resolve(got.config.listen.tls->certificate, world.secrets);
  ASSERT_TRUE(secret.has_value());
  EXPECT_EQ(secret->reveal(), "pem");
}

// No cut of a good file may crash, and none but the whole last line may pass.
TEST(Load, EveryCutIsSurvived) {
  World world;
  world.secrets.put("env:KEY", "sk");
  for (std::size_t cut = 0; cut < kGood.size(); ++cut) {
    const LoadResult got = world.load_text(kGood.substr(0, cut));
    for (const Problem& problem : got.problems) EXPECT_FALSE(problem.text.empty()) << cut;
  }
}

// The files that people start from must be good.
TEST(Load, TheExamplesAreGood) {
  for (const char* name :
       {"penstock.yaml", "vllm.yaml", "dev.yaml", "tokens.yaml", "traffic-control.yaml"}) {
    World world;
    for (const char* secret : {"env:OPENAI_API_KEY", "env:VLLM_KEY", "env:PENSTOCK_ADMIN_TOKEN"})
      world.secrets.put(secret, "secret");
    const LoadResult got = world.load_text(file_text(std::string("examples/") + name));
    EXPECT_TRUE(got.ok()) << name << ": " << rendered(got.problems, name).front();
    EXPECT_TRUE(got.warnings.empty()) << name;
    EXPECT_FALSE(got.config.models.empty()) << name;
  }
}

}  // namespace
}  // namespace penstock::config
