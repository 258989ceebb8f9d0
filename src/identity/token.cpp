#include "identity/token.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "crypto/base64url.h"
#include "crypto/public_key.h"
#include "identity/object_members.h"

namespace penstock::identity {
namespace {

std::unexpected<Error> malformed() {
  return fail(ErrorCode::kUnauthenticated, "The token is malformed.");
}

// RFC 7519 section 5.1 and RFC 9068 section 2.1. A provider that signs other things too (logout
// tokens, security events) must not have those taken for somebody's identity (RFC 8725 section
// 3.11).
bool is_access_token(const ObjectMembers::Member* type) {
  constexpr std::array<std::string_view, 4> kTypes{"jwt", "at+jwt", "application/jwt",
                                                   "application/at+jwt"};
  if (type == nullptr) return true;
  const std::optional<std::string> text = text_of(*type);
  return text && std::ranges::find(kTypes, lowered(*text)) != kTypes.end();
}

Result<void> read_header(const std::string& text, Token& token) {
  const std::optional<ObjectMembers> header = ObjectMembers::read(text);
  if (!header) return malformed();
  const std::optional<std::string> name = text_of(*header, "alg");
  const auto algorithm = name ? crypto::signature_algorithm(*name) : std::nullopt;
  if (!algorithm)
    return fail(ErrorCode::kUnauthenticated, "The token's algorithm is not accepted.");
  token.algorithm = *algorithm;
  if (header->find("crit") != nullptr)
    return fail(ErrorCode::kUnauthenticated, "The token has an extension that is not known.");
  if (!is_access_token(header->find("typ")))
    return fail(ErrorCode::kUnauthenticated, "The token is not an access token.");
  if (const ObjectMembers::Member* kid = header->find("kid")) {
    token.kid = text_of(*kid);
    if (!token.kid || !is_kid(*token.kid)) return malformed();
  }
  return {};
}

}  // namespace

bool is_kid(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kKidBytesMax && std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
  });
}

bool looks_like_token(std::string_view credential) noexcept {
  // '{' is 0x7B: its first six bits are "e", the next two are set.
  constexpr std::string_view kSecond = "wxyz0123456789-_";
  return credential.size() > 2 && credential[0] == 'e' && kSecond.contains(credential[1]) &&
         std::ranges::count(credential, '.') == 2;
}

Result<Token> read_token(std::string_view text) {
  if (text.size() > kTokenBytesMax) return malformed();
  const std::size_t first = text.find('.');
  const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || text.find('.', second + 1) != std::string_view::npos)
    return malformed();
  if (first > (kTokenHeaderBytesMax * 4 + 2) / 3) return malformed();
  const std::optional<std::string> header = crypto::base64url_decode(text.substr(0, first));
  if (!header) return malformed();
  Token token{.signed_part = text.substr(0, second), .payload = {}, .signature = {}, .kid = {}};
  PENSTOCK_CHECK(read_header(*header, token));
  std::optional<std::string> payload =
      crypto::base64url_decode(text.substr(first + 1, second - first - 1));
  std::optional<std::string> signature = crypto::base64url_decode(text.substr(second + 1));
  if (!payload || !signature || signature->empty()) return malformed();
  token.payload = *std::move(payload);
  token.signature = *std::move(signature);
  return token;
}

}  // namespace penstock::identity
