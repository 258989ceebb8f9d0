#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace penstock {

// A source of random numbers that a test can script. Not for secrets: see crypto/random.h.
class Rng {
 public:
  virtual ~Rng() = default;
  // Uniform over all 64-bit values.
  [[nodiscard]] virtual std::uint64_t next() = 0;
  // A stream of its own, named, so that one more draw here does not shift the draws elsewhere.
  [[nodiscard]] virtual std::unique_ptr<Rng> fork(std::string_view name) = 0;

  // Uniform over [0, bound); bound > 0. Multiply-shift; its bias is below bound / 2^64.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
};

}  // namespace penstock
