#include "control/block.h"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/priority.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};
constexpr std::uint32_t kGeneration = 3;

TEST(Block, GivesWhatTheStoreGranted) {
  Block block;
  EXPECT_EQ(block.mark(10, kGeneration, kStart), 0U);
  block.apply({.version = block.mint(), .granted = 4, .others = 5}, kGeneration, kStart);
  EXPECT_EQ(block.mark(10, kGeneration, kStart), 4U);
  // A class that may fill 7 of 10 leaves the others theirs.
  EXPECT_EQ(block.mark(7, kGeneration, kStart), 2U);
  EXPECT_EQ(block.mark(4, kGeneration, kStart), 0U);
}

// It is believed for less time than the store keeps it, and not behind a loss of data.
TEST(Block, IsVoidWhenOldOrOfOtherData) {
  Block block;
  block.apply({.version = block.mint(), .granted = 4, .others = 0}, kGeneration, kStart);
  EXPECT_EQ(block.mark(10, kGeneration, kStart + 9999ms), 4U);
  EXPECT_EQ(block.mark(10, kGeneration, kStart + 10s), 0U);
  EXPECT_EQ(block.mark(10, kGeneration + 1, kStart), 0U);
}

// Of two settings whose answers cross, the later one holds.
TEST(Block, AnOlderAnswerChangesNothing) {
  Block block;
  const std::uint64_t first = block.mint();
  const std::uint64_t second = block.mint();
  block.apply({.version = second, .granted = 6, .others = 0}, kGeneration, kStart);
  block.apply({.version = first, .granted = 5, .others = 0}, kGeneration, kStart);
  EXPECT_EQ(block.mark(10, kGeneration, kStart), 6U);
}

TEST(Block, IsRenewedEveryFiveSeconds) {
  Block block;
  EXPECT_FALSE(block.tend(0, 10, kStart));
  block.apply({.version = block.mint(), .granted = 2, .others = 0}, kGeneration, kStart);
  EXPECT_FALSE(block.tend(2, 10, kStart + 4s));
  const std::optional<Block::Setting> renewal = block.tend(2, 10, kStart + 5s);
  ASSERT_TRUE(renewal);
  EXPECT_EQ(renewal->want, 2U);
  EXPECT_EQ(renewal->version, 2U);
  EXPECT_FALSE(block.tend(2, 10, kStart + 6s));
}

// What is idle goes back: here first, so that nobody enters it any more. An answer to a growth that
// was asked before does not bring it back.
TEST(Block, ShrinksToWhatIsInFlight) {
  Block block;
  const std::uint64_t growth = block.mint();
  block.apply({.version = growth, .granted = 20, .others = 0}, kGeneration, kStart);
  const std::optional<Block::Setting> less = block.tend(3, 100, kStart + 1s);
  ASSERT_TRUE(less);
  EXPECT_EQ(less->want, 8U);  // 5 % of 100 are kept in hand
  EXPECT_EQ(block.mark(100, kGeneration, kStart + 1s), 8U);
  block.apply({.version = growth, .granted = 20, .others = 0}, kGeneration, kStart + 1s);
  EXPECT_EQ(block.granted(), 8U);
  const std::optional<Block::Setting> none = block.tend(0, 100, kStart + 2s);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->want, 0U);
  EXPECT_FALSE(block.tend(0, 100, kStart + 9s));
}

// Whatever runs counts, also what was let in while the store was away.
TEST(Block, TellsOfWhatRunsWithoutAGrant) {
  Block block;
  const std::optional<Block::Setting> setting = block.tend(3, 10, kStart);
  ASSERT_TRUE(setting);
  EXPECT_EQ(setting->want, 3U);
}

// Also beside a smaller block: a growth that is under way must not be late to a setting below it.
TEST(Block, NeverTellsOfLessThanRuns) {
  Block block;
  block.apply({.version = block.mint(), .granted = 2, .others = 0}, kGeneration, kStart);
  const std::optional<Block::Setting> setting = block.tend(5, 10, kStart + 5s);
  ASSERT_TRUE(setting);
  EXPECT_EQ(setting->want, 5U);
  EXPECT_EQ(block.granted(), 2U);  // but is granted no more here than the store said
}

// What has no place for a class has none for those below it.
TEST(Block, RemembersForAMomentThatItCannotGrow) {
  Block block;
  EXPECT_FALSE(block.known_full(Priority::kBatch, kStart));
  block.note_full(Priority::kStandard, kStart);
  EXPECT_TRUE(block.known_full(Priority::kBatch, kStart + 99ms));
  EXPECT_TRUE(block.known_full(Priority::kStandard, kStart + 99ms));
  EXPECT_FALSE(block.known_full(Priority::kInteractive, kStart));
  EXPECT_FALSE(block.known_full(Priority::kBatch, kStart + 100ms));
}

TEST(Block, HeadroomIsAFewPercent) {
  EXPECT_EQ(block_headroom(19), 0U);
  EXPECT_EQ(block_headroom(20), 1U);
  EXPECT_EQ(block_headroom(256), 12U);
  EXPECT_EQ(block_headroom(1'000'000), 64U);
}

}  // namespace
}  // namespace penstock::control
