#include "dialect/registry.h"

#include <gtest/gtest.h>

#include "dialect/openai/paths.h"
#include "dialect/surface.h"

namespace penstock::dialect {
namespace {

// The config names dialects by word and refuses others with the nearest one.
TEST(Registry, FindsDialectsByName) {
  const DialectInfo* openai = find_dialect("openai");
  ASSERT_NE(openai, nullptr);
  EXPECT_EQ(openai, &info(Dialect::kOpenai));
  EXPECT_EQ(openai->base_path, "/v1");
  EXPECT_EQ(openai->key_header, "authorization");
  EXPECT_EQ(openai->key_prefix, "Bearer ");
  EXPECT_EQ(find_dialect("opnai"), nullptr);
  EXPECT_EQ(find_dialect(""), nullptr);
  for (const DialectInfo& row : dialects()) EXPECT_EQ(find_dialect(row.name), &row);
}

// Paths stand below the base path; what providers are never asked has none.
TEST(Paths, StandBelowTheBase) {
  EXPECT_EQ(openai::upstream_path(Surface::kChat), "/chat/completions");
  EXPECT_EQ(openai::upstream_path(Surface::kCompletions), "/completions");
  EXPECT_EQ(openai::upstream_path(Surface::kEmbeddings), "/embeddings");
  EXPECT_EQ(openai::upstream_path(Surface::kModels), "/models");
  EXPECT_EQ(openai::upstream_path(Surface::kMe), "");
  EXPECT_EQ(openai::upstream_path(Surface::kNone), "");
}

// The words are metric labels: a promise to users.
TEST(Surface, HasItsWords) {
  EXPECT_EQ(name(Surface::kChat), "chat");
  EXPECT_EQ(name(Surface::kCompletions), "completions");
  EXPECT_EQ(name(Surface::kEmbeddings), "embeddings");
  EXPECT_EQ(name(Surface::kModels), "models");
  EXPECT_TRUE(streams(Surface::kChat));
  EXPECT_FALSE(streams(Surface::kEmbeddings));
}

}  // namespace
}  // namespace penstock::dialect
