#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock {

// What percent-escaped text means (RFC 3986 section 2.1), decoded once: `+` is a plus, and an
// escape may stand for any byte. nullopt for a broken escape.
//
// The result is allocated once, so that no copies of a secret are left behind.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace penstock
