#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "base/field_text.h"
#include "base/named.h"
#include "base/principal.h"
#include "base/secret_ref.h"
#include "base/units.h"
#include "config/tiers_config.h"
#include "control/priority.h"
#include "gateway/caller_limits_config.h"
#include "gateway/delivery.h"
#include "policy/output_rule.h"
#include "policy/redact_config.h"
#include "policy/rules_config.h"

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
  std::vector<std::string> models;     // globs; empty: all
  std::vector<std::string> providers;  // empty: all
  std::optional<std::uint64_t> output_tokens_max;
  policy::OutputOver output_over = policy::OutputOver::kRefuse;
  policy::Tools tools = policy::Tools::kAllow;
  policy::LabelRule label = policy::LabelRule::kOptional;
  std::vector<std::string> labels;
  SecretRef system_prompt;  // empty: none
  std::optional<policy::RedactConfig> redact;
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
      field("models", &C::models, kModelGlobRule, Reload::kLive,
            "Globs (* and ?) over the names it may ask for, provider/model among them; all when "
            "empty."),
      field("providers", &C::providers, kNameRule, Reload::kLive,
            "The providers that may serve it, fallbacks included; all when empty."),
      field("output_tokens_max", &C::output_tokens_max, range(1, 1'000'000'000), Reload::kLive,
            "The most output tokens of one request, all its choices together; also what is asked "
            "for when the client names no limit."),
      field("output_over", &C::output_over, any(), Reload::kLive,
            "When the client asks for more: refuse with 400, or clamp and say so in "
            "x-penstock-clamped."),
      field("tools", &C::tools, any(), Reload::kLive,
            "deny refuses requests that hand the model tools or functions."),
      field("label", &C::label, any(), Reload::kLive,
            "required: x-penstock-label must be one of labels. optional: it must be so when it is "
            "there."),
      field("labels", &C::labels, kNameRule, Reload::kLive,
            "What x-penstock-label may say; empty: anything."),
      field("system_prompt", &C::system_prompt, any(), Reload::kReload,
            "A text (file:path) put before all messages of a chat, whatever the client says."),
      field(
          "redact", &C::redact, any(), Reload::kLive,
          "Personal data and secrets that are masked or refused, see docs/reference/redaction.md."),
  };
}
constexpr auto later_keys(Describe<WorkloadConfig>) {
  return std::array<std::string_view, 1>{"cache"};
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
