#include "config/docs.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace penstock::config {
namespace {

// A reference that differs from the tables is worse than none.
// Mend it with: cmake --build build/dev --target config_docs
TEST(Docs, TheCommittedFileIsTheGeneratedOne) {
  std::ifstream file(PENSTOCK_SOURCE_DIR "/docs/generated/config.md");
  const std::string committed{std::istreambuf_iterator<char>(file),
                              std::istreambuf_iterator<char>()};
  EXPECT_EQ(committed, docs());
}

}  // namespace
}  // namespace penstock::config
