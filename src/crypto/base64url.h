#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock::crypto {

// The bytes that a base64url text stands for (RFC 4648 section 5), without padding as JOSE has it
// (RFC 7515 section 2). Strict, so that a value has one spelling only: nullopt for any other
// character, padding, a length that no bytes have, and unused low bits that are not zero.
[[nodiscard]] std::optional<std::string> base64url_decode(std::string_view text);

// The one spelling of these bytes.
[[nodiscard]] std::string base64url_encode(std::string_view bytes);

}  // namespace penstock::crypto
