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
#include "control/priority.h"
#include "gateway/caller_limits_config.h"
#include "gateway/delivery.h"

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
  gateway::KeyLimitsConfig limits;
};

constexpr auto fields(Describe<KeyConfig>) {
  using C = KeyConfig;
  return std::tuple{
      field("id", &C::id, required(kNameRule), Reload::kReload,
            "Names the key in logs; unique within the tenant."),
      field("sha256", &C::sha256, required(kSha256Rule), Reload::kReload,
            "Lower-case hex of SHA-256 over the key's bytes."),
      field("workload", &C::workload, kNameRule, Reload::kReload,
            "The workload of the tenant that this key calls for."),
      field("expires", &C::expires, any(), Reload::kReload,
            "From this moment (UTC) the key is refused."),
      field("disabled", &C::disabled, any(), Reload::kReload, "Refuses the key."),
      field("limits", &C::limits, any(), Reload::kLive, "How often the key may call."),
  };
}

// YAML: tenants.T.workloads.W
struct WorkloadConfig {
  control::Priority priority = control::Priority::kStandard;
  gateway::Delivery delivery = gateway::Delivery::kStream;
  gateway::CallerLimitsConfig limits;
};

constexpr auto fields(Describe<WorkloadConfig>) {
  using C = WorkloadConfig;
  return std::tuple{
      field("priority", &C::priority, any(), Reload::kLive,
            "As the process or the tenant fills, batch is refused from 70 %, standard from 90 %."),
      field("delivery", &C::delivery, any(), Reload::kLive,
            "buffered gathers a streamed reply before any of it is sent, so that one that fails "
            "half-way is tried again."),
      field("limits", &C::limits, any(), Reload::kLive, "How much the workload may call."),
  };
}
constexpr auto later_keys(Describe<WorkloadConfig>) {
  return std::array<std::string_view, 10>{
      "models", "providers", "output_tokens_max", "output_over", "tools", "label",
      "labels", "redact",    "system_prompt",     "cache"};
}

// YAML: tenants.T
struct TenantConfig {
  Tier tier = Tier::kInternal;
  gateway::CallerLimitsConfig limits;
  std::vector<KeyConfig> keys;
  Named<WorkloadConfig> workloads;
};

constexpr auto fields(Describe<TenantConfig>) {
  using C = TenantConfig;
  return std::tuple{
      field("tier", &C::tier, any(), Reload::kReload,
            "internal: part of the operator; external: a customer."),
      field("limits", &C::limits, any(), Reload::kLive,
            "How much the tenant may call, all its workloads and keys together."),
      field("keys", &C::keys, any(), Reload::kReload, "The tenant's API keys, as hashes."),
      field("workloads", &C::workloads, kNameRule, Reload::kLive,
            "The tenant's features that call models."),
  };
}
constexpr auto later_keys(Describe<TenantConfig>) {
  return std::array<std::string_view, 1>{"budget"};
}

}  // namespace penstock::config
