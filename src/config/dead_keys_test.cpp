#include "config/dead_keys.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "base/units.h"
#include "config/load.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

constexpr WallTime kExpires{1'767'225'600s};  // what the text below says

std::string key(const std::string& id, const std::string& more) {
  return "{ id: " + id + ", sha256: " + std::string(63, 'a') + id + more + " }";
}

// How many warnings there are at an instant, of a tenant with these keys.
std::size_t warnings(const std::string& keys, WallTime now) {
  support::MemoryDisk disk;
  const support::MemorySecrets secrets;
  disk.put("f",
           "version: 1\nlisten: {}\nauth: { mode: keys }\n"
           "tenants: { t: { keys: [ " +
               keys + " ], workloads: { w: {} } } }\n");
  LoadResult loaded = load("f", disk, secrets);
  EXPECT_TRUE(loaded.ok()) << keys;
  EXPECT_TRUE(loaded.warnings.empty()) << keys;
  warn_of_dead_keys(loaded, now);
  return loaded.warnings.size();
}

// From the same instant on at which the gateway refuses them.
TEST(DeadKeys, AreToldWhenNoneIsLeft) {
  const std::string expiring = key("1", ", expires: 2026-01-01T00:00:00Z");
  EXPECT_EQ(warnings(expiring, kExpires - 1us), 0U);
  EXPECT_EQ(warnings(expiring, kExpires), 1U);
  EXPECT_EQ(warnings(key("2", ", disabled: true"), kExpires), 1U);
  EXPECT_EQ(warnings(expiring + ", " + key("2", ", disabled: true"), kExpires), 1U);
  EXPECT_EQ(warnings(expiring + ", " + key("3", ""), kExpires), 0U);
}

}  // namespace
}  // namespace penstock::config
