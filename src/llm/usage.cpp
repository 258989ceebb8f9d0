#include "llm/usage.h"

#include <cstdint>
#include <optional>

namespace penstock::llm {
namespace {

void take(std::optional<std::uint64_t>& held, const std::optional<std::uint64_t>& told) noexcept {
  if (told) held = told;
}

}  // namespace

void update(Usage& usage, const Usage& later) noexcept {
  take(usage.input, later.input);
  take(usage.input_cached, later.input_cached);
  take(usage.input_cache_write, later.input_cache_write);
  take(usage.output, later.output);
  take(usage.output_reasoning, later.output_reasoning);
}

}  // namespace penstock::llm
