#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "crypto/public_key.h"

namespace penstock::identity {

// Longer tokens, headers and key names are refused before anything is read of them.
inline constexpr std::size_t kTokenBytesMax = std::size_t{16} << 10;
inline constexpr std::size_t kTokenHeaderBytesMax = std::size_t{4} << 10;  // decoded
inline constexpr std::size_t kKidBytesMax = 256;

// A signed token taken apart. Nothing in it is to be believed before its signature is verified.
struct Token {
  std::string_view signed_part;  // header "." payload, as sent
  std::string payload;
  std::string signature;
  crypto::SignatureAlgorithm algorithm = crypto::SignatureAlgorithm::kEdDsa;
  std::optional<std::string> kid;
};

// Whether a credential is to be read as a token and not as an API key: two dots, and a first
// segment that begins as the base64url of a brace does.
[[nodiscard]] bool looks_like_token(std::string_view credential) noexcept;

// Reads a JWS in compact form (RFC 7515 section 7.1) as an access token has it (RFC 7519, RFC
// 8725). Of the header only alg, kid, crit and typ are looked at: a key, or where to fetch one, is
// never taken from a token (jwk, jku, x5c, x5u).
//
// text:   must outlive the result.
// errors: kUnauthenticated: too long, not three segments of canonical base64url, a header that is
//         no JSON object or names a member twice, an algorithm that is none of ours (`none`, HMAC),
//         any `crit`, a type of token that is no access token, a kid that cannot be one.
[[nodiscard]] Result<Token> read_token(std::string_view text);

// A kid that a key set may have: 1 to kKidBytesMax bytes without control characters.
[[nodiscard]] bool is_kid(std::string_view text) noexcept;

}  // namespace penstock::identity
