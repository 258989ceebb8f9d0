#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace penstock {

// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
// cost: O(|left| × |right|); words beyond 128 bytes are taken as wholly different.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

// The candidate that a mistyped word most likely meant: at most a third of its length away and at
// least one edit allowed. Of equally near ones the first. The view is the candidate's own.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

}  // namespace penstock
