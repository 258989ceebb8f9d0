#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"

namespace penstock::identity {

// How far the clocks of an identity provider and of this machine may be apart. Exactly: a token is
// good before exp + kTokenLeeway, and from nbf - kTokenLeeway on.
inline constexpr Duration kTokenLeeway = 60s;

// What a token must say, and where it says who calls.
struct TokenRules {
  std::string issuer;
  std::string audience;
  std::string tenant_claim;
  std::string workload_claim;
  std::string tier_claim;

  bool operator==(const TokenRules&) const = default;
};

// What a verified token says about its bearer. Names are not known to exist.
struct Claims {
  std::string tenant;
  std::optional<std::string> workload;
  std::optional<Tier> tier;
  WallTime good_from = WallTime::min();  // leeway included
  WallTime good_until{};                 // the first instant at which it is refused

  [[nodiscard]] bool good_at(WallTime now) const noexcept {
    return now >= good_from && now < good_until;
  }
};

// Reads the payload of a token whose signature was verified.
//
// errors: kUnauthenticated: not one JSON object, a member named twice; `iss` or `aud` (a text, or a
//         list of texts) are not ours; `exp` is absent; a time is no plain number, or refuses the
//         token now; the tenant is absent; a name is no text that could be one, the tier neither
//         `internal` nor `external`. Never any part of the token.
// source: RFC 7519 section 4.1.
[[nodiscard]] Result<Claims> read_claims(std::string_view payload, const TokenRules& rules,
                                         WallTime now);

// Whether claims that were good still are.
// errors: kUnauthenticated, saying whether it has expired.
[[nodiscard]] Result<void> check_times(const Claims& claims, WallTime now);

// Seconds since 1970 as a JSON number: digits, perhaps with a fraction, at most the year 9999.
// Rounds to whole microseconds, down. nullopt for signs, exponents and anything longer.
[[nodiscard]] std::optional<WallTime> numeric_date(std::string_view number) noexcept;

}  // namespace penstock::identity
