#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/rng.h"

namespace penstock::test {

// The seed of a random test: PENSTOCK_SEED when that is set, else `usual`.
[[nodiscard]] std::uint64_t seed_of_test(std::uint64_t usual);
// For SCOPED_TRACE: the seed and the command that runs the current test again with it.
[[nodiscard]] std::string rerun_with(std::uint64_t seed);

// splitmix64 (Steele, Lea, Flood 2014). The same seed gives the same draws on every machine.
class SeededRng final : public Rng {
 public:
  explicit SeededRng(std::uint64_t seed) noexcept : seed_(seed), state_(seed) {}

  [[nodiscard]] std::uint64_t next() override;
  // Depends on the seed and the name, not on how much was drawn.
  [[nodiscard]] std::unique_ptr<Rng> fork(std::string_view name) override;

 private:
  std::uint64_t seed_;
  std::uint64_t state_;
};

}  // namespace penstock::test
