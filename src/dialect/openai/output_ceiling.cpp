#include "dialect/openai/output_ceiling.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dialect/openai/members.h"
#include "dialect/openai/ruled_members.h"
#include "json/reader.h"
#include "json/string.h"

namespace penstock::dialect::openai {

std::optional<std::uint64_t> read_output_ceiling(std::string_view body) noexcept {
  std::optional<std::uint64_t> ceiling;
  json::Reader reader(body);
  if (!reader.enter_object()) return ceiling;
  std::string_view key;
  while (reader.next_key(key)) {
    if (!json::equals(key, "max_tokens") && !json::equals(key, "max_completion_tokens")) {
      reader.skip_value();
      continue;
    }
    const std::optional<std::uint64_t> said = read_count(reader);
    if (said) ceiling = std::max(*said, ceiling.value_or(0));
  }
  return ceiling;
}

std::uint64_t read_answers(const RuledMembers& said) noexcept {
  const auto count = [](std::string_view raw) -> std::uint64_t {
    json::Reader reader(raw);
    return raw.empty() ? 1 : read_count(reader).value_or(1);
  };
  // Each is at most 10^15; what their product loses is beyond every bucket.
  const std::uint64_t each = std::max({count(said.n), count(said.best_of), std::uint64_t{1}});
  return each * std::clamp<std::uint64_t>(said.prompts, 1, 10'000);
}

}  // namespace penstock::dialect::openai
