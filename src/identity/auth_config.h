#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/field.h"
#include "base/units.h"
#include "identity/key_set_url.h"

namespace penstock::identity {

enum class AuthMode : std::uint8_t {
  kDev,        // credentials are ignored and x-tenant-id is believed; loopback only
  kKeys,       // API keys of the config's tenants
  kJwt,        // tokens of an identity provider
  kKeysOrJwt,  // either; a request carries one of them
};

constexpr auto enum_names(Describe<AuthMode>) {
  return std::array{EnumName<AuthMode>{"dev", AuthMode::kDev},
                    EnumName<AuthMode>{"keys", AuthMode::kKeys},
                    EnumName<AuthMode>{"jwt", AuthMode::kJwt},
                    EnumName<AuthMode>{"keys_or_jwt", AuthMode::kKeysOrJwt}};
}

[[nodiscard]] constexpr bool takes_tokens(AuthMode mode) noexcept {
  return mode == AuthMode::kJwt || mode == AuthMode::kKeysOrJwt;
}
[[nodiscard]] constexpr bool takes_keys(AuthMode mode) noexcept {
  return mode == AuthMode::kKeys || mode == AuthMode::kKeysOrJwt;
}

// Returns what is wrong with an issuer, an audience or the name of a claim, or an empty view.
[[nodiscard]] constexpr std::string_view check_claim_text(std::string_view text) {
  return text.empty() || text.size() > 512 ? "must have 1 to 512 bytes" : "";
}
inline constexpr Rule kClaimTextRule = shaped(check_claim_text, "^.{1,512}$", "penstock");

// YAML: auth.jwt
struct JwtConfig {
  std::string issuer;
  std::string audience;
  std::string jwks;
  std::string tenant_claim = "tenant";
  std::string workload_claim = "workload";
  std::string tier_claim = "tier";
  Duration refresh = 5min;
  Duration keep = 24h;
};

constexpr auto fields(Describe<JwtConfig>) {
  using C = JwtConfig;
  return std::tuple{
      field("issuer", &C::issuer, required(kClaimTextRule), Reload::kRestart,
            "What `iss` of a token must be, byte for byte."),
      field("audience", &C::audience, required(kClaimTextRule), Reload::kRestart,
            "What `aud` of a token must be or contain."),
      field("jwks", &C::jwks, required(kKeySetUrlRule), Reload::kRestart,
            "Where the issuer publishes its keys (JWK set); https, or http on this machine."),
      field("tenant_claim", &C::tenant_claim, kClaimTextRule, Reload::kRestart,
            "The claim that names the tenant."),
      field("workload_claim", &C::workload_claim, kClaimTextRule, Reload::kRestart,
            "The claim that names the workload; in a token without it, the tenant's only one."),
      field("tier_claim", &C::tier_claim, kClaimTextRule, Reload::kRestart,
            "The claim that says internal or external; the stricter of it and the tenant's holds."),
      field("refresh", &C::refresh, range(100ms, 24h), Reload::kRestart,
            "How often the keys are fetched again."),
      field("keep", &C::keep, range(100ms, 720h), Reload::kRestart,
            "How long keys are used after they were last fetched; then tokens are refused (503)."),
  };
}

// YAML: auth
struct AuthConfig {
  AuthMode mode = AuthMode::kKeys;
  std::optional<JwtConfig> jwt;
};

constexpr auto fields(Describe<AuthConfig>) {
  using C = AuthConfig;
  return std::tuple{
      field("mode", &C::mode, any(), Reload::kRestart,
            "How callers are known. dev trusts x-tenant-id and serves loopback only."),
      field("jwt", &C::jwt, any(), Reload::kRestart,
            "Whose tokens are accepted, in the modes jwt and keys_or_jwt."),
  };
}

}  // namespace penstock::identity
