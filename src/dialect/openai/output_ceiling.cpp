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
namespace {

constexpr std::uint64_t kOne = 1;

std::optional<std::uint64_t> count_of(std::string_view raw) noexcept {
  if (raw.empty()) return std::nullopt;
  json::Reader reader(raw);
  return read_large_count(reader);
}

}  // namespace

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
    const std::uint64_t said = read_large_count(reader).value_or(0);
    if (said != 0) ceiling = std::max(said, ceiling.value_or(0));
  }
  return ceiling;
}

std::uint64_t read_answers(const RuledMembers& said) noexcept {
  const std::uint64_t each =
      std::max({count_of(said.n).value_or(1), count_of(said.best_of).value_or(1), kOne});
  const std::uint64_t prompts = std::max(said.prompts, kOne);
  return each > UINT64_MAX / prompts ? UINT64_MAX : each * prompts;
}

std::string_view unreadable_count(const RuledMembers& said) noexcept {
  const auto unread = [](std::string_view raw) {
    return !raw.empty() && raw != "null" && !count_of(raw);
  };
  if (unread(said.max_tokens)) return "max_tokens";
  if (unread(said.max_completion_tokens)) return "max_completion_tokens";
  if (unread(said.n)) return "n";
  if (unread(said.best_of)) return "best_of";
  return said.counted_twice;
}

}  // namespace penstock::dialect::openai
