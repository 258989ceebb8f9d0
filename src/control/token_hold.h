#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace penstock::control {

// What is known of a request's tokens before it runs.
struct TokenDemand {
  std::uint64_t body_bytes = 0;
  std::uint64_t choices = 1;
  std::uint64_t output_max = 0;  // of one choice
};

// The input that a body is taken for until tokens are counted: one token for four bytes, rounded
// up. source: what vendors state of English text; the JSON around a prompt makes it err upwards.
[[nodiscard]] constexpr std::uint64_t estimated_input(std::uint64_t body_bytes) noexcept {
  return (body_bytes + 3) / 4;
}

// The most that a request may use: its estimated input and the ceiling of its output. Saturates.
[[nodiscard]] constexpr std::uint64_t tokens_held(const TokenDemand& demand) noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t input = estimated_input(demand.body_bytes);
  const auto output = static_cast<unsigned __int128>(demand.output_max) *
                      std::max<std::uint64_t>(demand.choices, 1);
  return output > kMost - input ? kMost : input + static_cast<std::uint64_t>(output);
}

}  // namespace penstock::control
