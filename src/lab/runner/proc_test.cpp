#include "lab/runner/proc.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

namespace penstock::lab {
namespace {

// The name of a program may have blanks and brackets; the fields are counted behind it.
TEST(Proc, FindsTheTicksBehindAnyName) {
  EXPECT_EQ(cpu_ticks("7 (a) b (c)) S 1 7 7 0 -1 4194560 1 0 0 0 12 30 5 6 20 0 1 0"), 42U);
  EXPECT_EQ(cpu_ticks("7 (a) S 1 7"), std::nullopt);
  EXPECT_EQ(cpu_ticks(""), std::nullopt);
}

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4711 1 0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 "
    "4712 1 0000000000000000 20 4 30 10 -1\n"
    "   2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4713 1 0000000000000000 100 0 0 10 0\n";

// A connection at the port is no listener of it.
TEST(Proc, FindsListenersOfAPort) {
  EXPECT_EQ(listener_inodes(kTable, 8080), std::vector<std::uint64_t>{4711});
  EXPECT_EQ(listener_inodes(kTable, 8081), std::vector<std::uint64_t>{4713});
  EXPECT_TRUE(listener_inodes(kTable, 8082).empty());
}

TEST(Proc, KnowsThisProcess) {
  EXPECT_TRUE(process_exists(::getpid()));
  EXPECT_GT(process_memory(::getpid()), 100'000U);
  EXPECT_GE(process_descriptors(::getpid()), 3U);
}

}  // namespace
}  // namespace penstock::lab
