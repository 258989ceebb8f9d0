#pragma once

#include <cstdint>
#include <optional>

namespace penstock::llm {

// Token counts of one call, as a provider told them. Absent means it did not say, which is not
// zero. `input_cached` is part of `input` and `output_reasoning` part of `output`, whatever the
// provider's own arithmetic.
struct Usage {
  std::optional<std::uint64_t> input = {};
  std::optional<std::uint64_t> input_cached = {};
  std::optional<std::uint64_t> input_cache_write = {};
  std::optional<std::uint64_t> output = {};
  std::optional<std::uint64_t> output_reasoning = {};

  bool operator==(const Usage&) const = default;

  [[nodiscard]] bool told() const noexcept { return input.has_value() || output.has_value(); }
};

// Takes over what `later` tells. Streams repeat running totals: the last value told holds, and
// nothing is ever summed.
void update(Usage& usage, const Usage& later) noexcept;

}  // namespace penstock::llm
