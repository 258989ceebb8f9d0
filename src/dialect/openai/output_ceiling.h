#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dialect/openai/ruled_members.h"

namespace penstock::dialect::openai {

// The most output tokens that one choice of a request may have, as its client says:
// `max_completion_tokens`, else `max_tokens`; of both the larger, for providers differ in which of
// them they read. nullopt: it names none, 0 (which some providers take for that), or
// what unreadable_count() tells of. A number above 10^15 is taken for that.
[[nodiscard]] std::optional<std::uint64_t> read_output_ceiling(const RuledMembers& said) noexcept;

// How many answers the provider makes: for each prompt the larger of `n` and `best_of`; at least 1.
// Saturates.
[[nodiscard]] std::uint64_t read_answers(const RuledMembers& said) noexcept;

// The name of a member that the two above cannot read: it is neither null nor a whole number from 0
// up, or it stands there twice. Empty: there is none.
[[nodiscard]] std::string_view unreadable_count(const RuledMembers& said) noexcept;

}  // namespace penstock::dialect::openai
