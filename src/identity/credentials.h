#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace penstock::identity {

// Longer ones are refused unread. Keys have tens of bytes; tokens are another matter.
inline constexpr std::size_t kKeyBytesMax = 512;

// Whether a header that may stand once was sent several times with different values.
enum class Repeats : std::uint8_t { kAgree, kDiffer };

// The headers of one request in which an SDK may put its key, as they came. Views are borrowed.
struct Credentials {
  std::optional<std::string_view> authorization{};
  std::optional<std::string_view> x_api_key{};       // Anthropic
  std::optional<std::string_view> api_key{};         // Azure
  std::optional<std::string_view> x_goog_api_key{};  // Gemini
  unsigned authorization_count = 0;                  // 0 is read as "one, if it is set"
  Repeats repeats = Repeats::kAgree;                 // of the last three, taken each by itself
};

// The one credential that a request carries, wherever it stands.
//
// result:  a view into the headers: 1 to `bytes_max` visible ASCII characters.
// errors:  kUnauthenticated: no credential, a scheme other than Bearer, two `authorization`
//          headers, credentials that differ, or what cannot be one.
// source:  RFC 9110 section 11.1 (schemes ignore case), RFC 6750 section 2.1.
[[nodiscard]] Result<std::string_view> presented(const Credentials& credentials,
                                                 std::size_t bytes_max);

// The same where only API keys are taken.
[[nodiscard]] inline Result<std::string_view> presented_key(const Credentials& credentials) {
  return presented(credentials, kKeyBytesMax);
}

}  // namespace penstock::identity
