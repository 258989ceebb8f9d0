#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "base/field.h"

namespace penstock::identity {

enum class AuthMode : std::uint8_t {
  kDev,   // credentials are ignored and x-tenant-id is believed; loopback only
  kKeys,  // API keys of the config's tenants
};

constexpr auto enum_names(Describe<AuthMode>) {
  return std::array{EnumName<AuthMode>{"dev", AuthMode::kDev},
                    EnumName<AuthMode>{"keys", AuthMode::kKeys}};
}
constexpr auto later_names(Describe<AuthMode>) {
  return std::array<std::string_view, 2>{"jwt", "keys_or_jwt"};
}

// YAML: auth
struct AuthConfig {
  AuthMode mode = AuthMode::kKeys;
};

constexpr auto fields(Describe<AuthConfig>) {
  using C = AuthConfig;
  return std::tuple{
      field("mode", &C::mode, any(), Reload::kRestart,
            "How callers are known. dev trusts x-tenant-id and serves loopback only."),
  };
}
constexpr auto later_keys(Describe<AuthConfig>) { return std::array<std::string_view, 1>{"jwt"}; }

}  // namespace penstock::identity
