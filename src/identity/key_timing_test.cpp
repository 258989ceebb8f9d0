#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <time.h>

#include <gtest/gtest.h>

#include "base/units.h"
#include "crypto/sha256.h"
#include "identity/key_ring.h"

// Whether the time of a refusal tells how near a wrong key is to a right one. The keys of a class
// are asked for in turn with those of the others, so that what else the machine does meets all
// alike; the slowest tenth, which interruptions make, is left out.
namespace penstock::identity {
namespace {

constexpr std::size_t kSamples = 60'000;  // of a class in a round
constexpr double kTellingT = 4.5;         // beyond it a difference is taken for one (TVLA)
constexpr int kRounds =
    7;  // other processes may spoil some; a leak spoils most, so the middle tells

double now_ns() {
  timespec time{};
  EXPECT_EQ(clock_gettime(CLOCK_MONOTONIC, &time), 0);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

struct Moments {
  double mean = 0;
  double variance = 0;
  double count = 0;
};

Moments moments(std::vector<double> samples) {
  std::ranges::sort(samples);
  samples.resize(samples.size() * 9 / 10);
  Moments its{.count = static_cast<double>(samples.size())};
  for (const double sample : samples) its.mean += sample / its.count;
  for (const double sample : samples)
    its.variance += (sample - its.mean) * (sample - its.mean) / (its.count - 1);
  return its;
}

double welch_t(const Moments& one, const Moments& other) {
  return std::abs(one.mean - other.mean) /
         std::sqrt(one.variance / one.count + other.variance / other.count);
}

class KeyTiming : public testing::Test {
 protected:
  KeyTiming() {
    std::vector<KeyEntry> entries;
    for (int i = 0; i < 100; ++i) {
      KeyEntry entry;
      entry.sha256 = crypto::sha256("sk-" + std::string(40, 'a') + std::to_string(i));
      entry.tenant = "retail";
      entry.key_id = std::to_string(i);
      entries.push_back(std::move(entry));
    }
    ring_ = KeyRing::build(std::move(entries)).value();
  }

  // The largest t between two of the classes of wrong keys; refuse: answers whether it is right.
  template <class Refuse>
  static double round(const Refuse& refuse) {
    const std::string right = "sk-" + std::string(40, 'a') + "42";
    std::array<std::string, 3> wrong{right, right, std::string(right.size(), 'z')};
    wrong[0].front() = 'x';    // differs in its first byte
    wrong[1].back() = '\x7e';  // in its last one
    std::array<std::vector<double>, 3> times;
    for (std::size_t i = 0; i < kSamples; ++i)
      for (std::size_t j = 0; j < wrong.size(); ++j) {
        const std::size_t which = (i + j) % wrong.size();
        const double before = now_ns();
        const bool right_one = refuse(wrong[which]);
        times[which].push_back(now_ns() - before);
        EXPECT_FALSE(right_one);
      }
    const std::array<Moments, 3> all{moments(times[0]), moments(times[1]), moments(times[2])};
    return std::max({welch_t(all[0], all[1]), welch_t(all[0], all[2]), welch_t(all[1], all[2])});
  }

  // The middle of several rounds.
  template <class Refuse>
  static double middle(const Refuse& refuse) {
    std::array<double, kRounds> all;
    for (double& one : all) one = round(refuse);
    std::ranges::sort(all);
    return all[kRounds / 2];
  }

  std::optional<KeyRing> ring_;
};

TEST_F(KeyTiming, WrongKeysCannotBeToldApart) {
  const double t = middle(
      [this](const std::string& key) { return ring_->identify_key(key, WallTime()).has_value(); });
  EXPECT_LT(t, kTellingT);
}

// The same measure finds a look-up that stops at the first byte that differs.
TEST_F(KeyTiming, AHastyComparisonWouldBeSeen) {
  const std::string right = "sk-" + std::string(40, 'a') + "42";
  const double t = round([&](const std::string& key) {
    return std::mismatch(key.begin(), key.end(), right.begin(), right.end()).first == key.end();
  });
  EXPECT_GT(t, kTellingT);
}

}  // namespace
}  // namespace penstock::identity
