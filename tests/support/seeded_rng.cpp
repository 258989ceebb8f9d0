#include "tests/support/seeded_rng.h"

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "runtime/system.h"

namespace penstock::test {

std::uint64_t seed_of_test(std::uint64_t usual) {
  const std::optional<std::string> told = runtime::environment("PENSTOCK_SEED");
  if (!told) return usual;
  std::uint64_t seed = usual;
  std::from_chars(told->data(), told->data() + told->size(), seed);
  return seed;
}

std::string rerun_with(std::uint64_t seed) {
  const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
  const std::string test =
      info == nullptr ? "*" : std::string(info->test_suite_name()) + "." + info->name();
  return "run again: PENSTOCK_SEED=" + std::to_string(seed) +
         " <test program> --gtest_filter=" + test;
}

std::uint64_t SeededRng::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::unique_ptr<Rng> SeededRng::fork(std::string_view name) {
  std::uint64_t seed = seed_ ^ 0xcbf29ce484222325;  // FNV-1a over the name
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return std::make_unique<SeededRng>(seed);
}

}  // namespace penstock::test
