#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/field.h"

namespace penstock::identity {

// Where a key set is fetched from.
struct KeySetUrl {
  enum class Scheme : std::uint8_t { kHttps, kHttp };
  Scheme scheme = Scheme::kHttps;
  std::string host;  // a name or a literal address without brackets, lower-case
  std::uint16_t port = 0;
  std::string authority;  // for the Host header
  std::string target;     // path and query, as written
};

// Nullopt unless the text is `https://host[:port][/path][?query]`, or the same with http and a host
// of this machine: whoever can change a key set on its way can be anybody.
[[nodiscard]] std::optional<KeySetUrl> parse_key_set_url(std::string_view text);

// What is wrong with the text, or an empty view.
[[nodiscard]] std::string_view check_key_set_url(std::string_view text);

inline constexpr Rule kKeySetUrlRule = shaped(
    check_key_set_url, R"(^https?://[^/?#@\s]+(/[^#\s]*)?$)", "https://idp.example/jwks.json");

}  // namespace penstock::identity
