#include "identity/claims.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/field_text.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "identity/object_members.h"
#include "json/reader.h"

namespace penstock::identity {
namespace {

using Member = ObjectMembers::Member;
using std::chrono::microseconds;
using std::chrono::seconds;

constexpr std::size_t kDigitsMax = 12;
constexpr std::int64_t kSecondsMax = 253'402'300'799;  // the last of the year 9999
constexpr std::size_t kFractionMax = 9;                // digits; none is written with more
constexpr auto kLeeway = std::chrono::floor<microseconds>(kTokenLeeway);

std::unexpected<Error> refused(std::string message) {
  return fail(ErrorCode::kUnauthenticated, std::move(message));
}

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_text(const Member* member, std::string_view wanted) {
  return member != nullptr && member->kind == json::Kind::kString && text_of(*member) == wanted;
}

// RFC 7519 section 4.1.3.
bool is_for(const Member* audience, std::string_view wanted) {
  if (audience == nullptr || audience->kind != json::Kind::kArray) return is_text(audience, wanted);
  return lists_text(*audience, wanted);
}

// Absent is nullopt.
Result<std::optional<WallTime>> time_of(const ObjectMembers& claims, std::string_view name) {
  const Member* const member = claims.find(name);
  if (member == nullptr) return std::optional<WallTime>();
  const std::optional<WallTime> time =
      member->kind == json::Kind::kNumber ? numeric_date(member->value) : std::nullopt;
  if (!time) return refused("A time in the token is not a number of seconds.");
  return time;
}

Result<void> read_times(const ObjectMembers& payload, WallTime now, Claims& claims) {
  PENSTOCK_TRY(const std::optional<WallTime> expires, time_of(payload, "exp"));
  PENSTOCK_TRY(const std::optional<WallTime> not_before, time_of(payload, "nbf"));
  PENSTOCK_TRY(const std::optional<WallTime> issued, time_of(payload, "iat"));
  if (!expires) return refused("The token has no time of expiry.");
  claims.good_until = *expires + kLeeway;
  for (const auto& from : {not_before, issued})
    if (from) claims.good_from = std::max(claims.good_from, *from - kLeeway);
  return check_times(claims, now);
}

// Absent is nullopt; what is no text that could be a name of the config is refused.
Result<std::optional<std::string>> name_of(const ObjectMembers& payload, const std::string& claim) {
  const Member* const member = claim.empty() ? nullptr : payload.find(claim);
  if (member == nullptr) return std::optional<std::string>();
  std::optional<std::string> name = text_of(*member);
  if (!name || !check_name(*name).empty())
    return refused("A claim of the token that names who calls is not a name.");
  return name;
}

Result<void> read_tier(const ObjectMembers& payload, const std::string& claim, Claims& claims) {
  const Member* const member = claim.empty() ? nullptr : payload.find(claim);
  if (member == nullptr) return {};
  for (const Tier tier : {Tier::kInternal, Tier::kExternal})
    if (is_text(member, name(tier))) claims.tier = tier;
  if (!claims.tier) return refused("The token's tier is not known.");
  return {};
}

}  // namespace

std::optional<WallTime> numeric_date(std::string_view number) noexcept {
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction = number.substr(std::min(point + 1, number.size()));
  if (whole.empty() || whole.size() > kDigitsMax || fraction.size() > kFractionMax ||
      !std::ranges::all_of(whole, is_digit) || !std::ranges::all_of(fraction, is_digit))
    return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : whole) value = value * 10 + (digit - '0');
  if (value > kSecondsMax) return std::nullopt;
  std::int64_t micros = 0;
  for (std::size_t i = 0; i < 6; ++i)
    micros = micros * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  return WallTime(seconds(value)) + microseconds(micros);
}

Result<void> check_times(const Claims& claims, WallTime now) {
  if (now >= claims.good_until) return refused("The token has expired.");
  if (now < claims.good_from) return refused("The token is not valid yet.");
  return {};
}

Result<Claims> read_claims(std::string_view payload, const TokenRules& rules, WallTime now) {
  const std::optional<ObjectMembers> members = ObjectMembers::read(payload);
  if (!members) return refused("The token is malformed.");
  if (!is_text(members->find("iss"), rules.issuer))
    return refused("The token is of another issuer.");
  if (!is_for(members->find("aud"), rules.audience))
    return refused("The token is for another audience.");
  Claims claims;
  PENSTOCK_CHECK(read_times(*members, now, claims));
  PENSTOCK_TRY(std::optional<std::string> tenant, name_of(*members, rules.tenant_claim));
  if (!tenant) return refused("The token names no tenant.");
  claims.tenant = *std::move(tenant);
  PENSTOCK_TRY(claims.workload, name_of(*members, rules.workload_claim));
  PENSTOCK_CHECK(read_tier(*members, rules.tier_claim, claims));
  return claims;
}

}  // namespace penstock::identity
