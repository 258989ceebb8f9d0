#include "dialect/openai/output_ceiling.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dialect/openai/members.h"
#include "dialect/openai/ruled_members.h"
#include "json/reader.h"

namespace penstock::dialect::openai {
namespace {

constexpr std::uint64_t kOne = 1;

std::optional<std::uint64_t> count_of(std::string_view raw) noexcept {
  if (raw.empty()) return std::nullopt;
  json::Reader reader(raw);
  return read_large_count(reader);
}

}  // namespace

std::optional<std::uint64_t> read_output_ceiling(const RuledMembers& said) noexcept {
  const std::uint64_t larger = std::max(count_of(said.max_tokens).value_or(0),
                                        count_of(said.max_completion_tokens).value_or(0));
  return larger != 0 ? std::optional(larger) : std::nullopt;
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
