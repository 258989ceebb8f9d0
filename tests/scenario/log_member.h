#pragma once

#include <optional>
#include <string_view>

namespace penstock::scenario {

// A member of an access-log line as JSON writes its value, a string without its quotes; nullopt
// without it. Views the line.
[[nodiscard]] std::optional<std::string_view> log_member(std::string_view line,
                                                         std::string_view key);

}  // namespace penstock::scenario
