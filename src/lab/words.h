#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::lab {

// The token with this number in the text of a choice: a word, with a space in front unless it is
// the first. Stands in a JSON string as it is; some are not ASCII. Static storage.
[[nodiscard]] std::string_view token_text(std::uint64_t seed, std::uint32_t choice,
                                          std::uint64_t number) noexcept;

}  // namespace penstock::lab
