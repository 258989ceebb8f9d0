#include "identity/credentials.h"

#include <algorithm>
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
#include "crypto/compare.h"

namespace penstock::identity {
namespace {

constexpr std::string_view kHint =
    "Send the key as `Authorization: Bearer KEY`, or in x-api-key, api-key or x-goog-api-key.";

std::unexpected<Error> refused(std::string message) {
  Error error(ErrorCode::kUnauthenticated, std::move(message));
  error.hint = kHint;
  return std::unexpected<Error>(std::move(error));
}

// What follows the scheme `Bearer` and at least one space, or nullopt for any other scheme.
std::optional<std::string_view> bearer(std::string_view value) noexcept {
  constexpr std::string_view kScheme = "bearer";
  if (value.size() <= kScheme.size() || value[kScheme.size()] != ' ') return std::nullopt;
  if (!std::ranges::equal(value.substr(0, kScheme.size()), kScheme, {}, lower)) return std::nullopt;
  value.remove_prefix(kScheme.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

bool may_be_credential(std::string_view key, std::size_t bytes_max) noexcept {
  return !key.empty() && key.size() <= bytes_max &&
         std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

Result<std::string_view> presented(const Credentials& credentials, std::size_t bytes_max) {
  if (credentials.authorization_count > 1)
    return refused("More than one authorization header was sent.");
  std::optional<std::string_view> authorization;
  if (credentials.authorization) {
    authorization = bearer(*credentials.authorization);
    if (!authorization) return refused("Only the scheme Bearer is accepted in authorization.");
  }
  std::optional<std::string_view> key;
  bool differ = credentials.repeats == Repeats::kDiffer;
  for (const auto& given :
       {authorization, credentials.x_api_key, credentials.api_key, credentials.x_goog_api_key}) {
    if (!given) continue;
    if (!key)
      key = given;
    else if (!crypto::constant_time_equal(*key, *given))
      differ = true;
  }
  if (differ) return refused("The request carries credentials that differ.");
  if (!key) return refused("No credential was given.");
  if (!may_be_credential(*key, bytes_max)) return refused("What was sent cannot be a credential.");
  return *key;
}

}  // namespace penstock::identity
