#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "base/field_text.h"
#include "base/named.h"
#include "base/principal.h"
#include "base/units.h"

namespace penstock {

constexpr auto enum_names(Describe<Tier>) {
  return std::array{EnumName<Tier>{"internal", Tier::kInternal},
                    EnumName<Tier>{"external", Tier::kExternal}};
}

}  // namespace penstock

namespace penstock::config {

// YAML: tenants.T.keys[]
struct KeyConfig {
  std::string id;                   // names the key in logs; never the key
  std::string sha256;               // lower-case hex of SHA-256 over the key's bytes
  std::string workload;             // empty: none
  std::optional<WallTime> expires;  // from then on 403 key_disabled
  bool disabled = false;
};

constexpr auto fields(Describe<KeyConfig>) {
  using C = KeyConfig;
  return std::tuple{
      field("id", &C::id, required(kNameRule), Reload::kRestart,
            "Names the key in logs; unique within the tenant."),
      field("sha256", &C::sha256, required(kSha256Rule), Reload::kRestart,
            "Lower-case hex of SHA-256 over the key's bytes."),
      field("workload", &C::workload, kNameRule, Reload::kRestart,
            "The workload of the tenant that this key calls for."),
      field("expires", &C::expires, any(), Reload::kRestart,
            "From this moment (UTC) the key is refused."),
      field("disabled", &C::disabled, any(), Reload::kRestart, "Refuses the key."),
  };
}
constexpr auto later_keys(Describe<KeyConfig>) { return std::array<std::string_view, 1>{"limits"}; }

// YAML: tenants.T.workloads.W
struct WorkloadConfig {};

constexpr auto fields(Describe<WorkloadConfig>) { return std::tuple{}; }
constexpr auto later_keys(Describe<WorkloadConfig>) {
  return std::array<std::string_view, 13>{
      "models",        "providers", "priority", "limits", "output_tokens_max",
      "output_over",   "tools",     "label",    "labels", "redact",
      "system_prompt", "delivery",  "cache"};
}

// YAML: tenants.T
struct TenantConfig {
  Tier tier = Tier::kInternal;
  std::vector<KeyConfig> keys;
  Named<WorkloadConfig> workloads;
};

constexpr auto fields(Describe<TenantConfig>) {
  using C = TenantConfig;
  return std::tuple{
      field("tier", &C::tier, any(), Reload::kRestart,
            "internal: part of the operator; external: a customer."),
      field("keys", &C::keys, any(), Reload::kRestart, "The tenant's API keys, as hashes."),
      field("workloads", &C::workloads, kNameRule, Reload::kLive,
            "The tenant's features that call models."),
  };
}
constexpr auto later_keys(Describe<TenantConfig>) {
  return std::array<std::string_view, 2>{"limits", "budget"};
}

}  // namespace penstock::config
