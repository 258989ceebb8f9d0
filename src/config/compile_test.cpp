#include "config/compile.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/label.h"
#include "base/units.h"
#include "config/load.h"
#include "fleet/provider.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

// Secrets are read at the start and never again: a file that is rotated or gone must neither change
// who is paid nor refuse a change of something else.
TEST(Compile, AChangedConfigKeepsItsSecretsAndItsAge) {
  support::MemoryDisk disk;
  disk.put("f",
           "version: 1\nlisten: {}\nauth: { mode: dev }\n"
           "providers: { p: { dialect: openai, key: env:K, replicas: [ http://a:1 ] } }\n");
  support::MemorySecrets secrets;
  secrets.put("env:K", "first");
  const LoadResult loaded = load("f", disk, secrets);
  ASSERT_TRUE(loaded.ok());
  LabelNames labels;
  const auto before = compile(loaded.config, secrets, labels, WallTime(100s));
  ASSERT_TRUE(before);
  EXPECT_EQ((*before)->created, 100);
  const support::MemorySecrets none;
  const auto after = compile(loaded.config, none, labels, WallTime(200s), before->get());
  ASSERT_TRUE(after);
  EXPECT_EQ((*after)->find_provider("p")->key.reveal(), "first");
  EXPECT_EQ((*after)->created, 100);
}

// Replicas of one host are told apart by their paths, in metrics, log and headers; the Host header
// stays what it is.
TEST(Compile, NoTwoReplicasHaveOneName) {
  support::MemoryDisk disk;
  disk.put("f",
           "version: 1\nlisten: {}\nauth: { mode: dev }\n"
           "providers: { p: { dialect: openai, replicas: [ http://a:1/x, http://a:1, http://b, "
           "http://c, https://c ] } }\n");
  const support::MemorySecrets secrets;
  const LoadResult loaded = load("f", disk, secrets);
  ASSERT_TRUE(loaded.ok());
  LabelNames labels;
  const auto snapshot = compile(loaded.config, secrets, labels, WallTime(100s));
  ASSERT_TRUE(snapshot);
  const std::vector<fleet::Replica>& replicas = (*snapshot)->find_provider("p")->replicas;
  EXPECT_EQ(replicas[0].name, "a:1/x");
  EXPECT_EQ(replicas[1].name, "a:1/v1");
  EXPECT_EQ(replicas[2].name, "b");
  EXPECT_EQ(replicas[3].name, "http://c");
  EXPECT_EQ(replicas[4].name, "https://c");
  EXPECT_EQ(replicas[0].authority, "a:1");
  EXPECT_EQ(replicas[4].authority, "c");
}

}  // namespace
}  // namespace penstock::config
