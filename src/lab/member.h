#pragma once

#include <string_view>

namespace penstock::lab {

// The value of a member as written, or an empty view: there is none, or this is no object. Of
// several with the name the last.
[[nodiscard]] std::string_view member(std::string_view object, std::string_view name);

// What stands between the quotes of a JSON string; empty for all other values.
[[nodiscard]] std::string_view inside_quotes(std::string_view value) noexcept;

}  // namespace penstock::lab
