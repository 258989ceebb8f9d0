#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/label.h"
#include "base/principal.h"
#include "base/tier_set.h"
#include "base/units.h"
#include "control/priority.h"
#include "control/retry_plan.h"
#include "fleet/provider.h"
#include "fleet/target.h"
#include "gateway/admission_config.h"
#include "gateway/caller_limits.h"
#include "gateway/delivery.h"
#include "gateway/limits_config.h"
#include "gateway/stream_config.h"
#include "gateway/workload_redaction.h"
#include "identity/auth_config.h"
#include "identity/claims.h"
#include "identity/key_ring.h"
#include "policy/glob.h"
#include "policy/output_rule.h"
#include "policy/rules_config.h"

namespace penstock::gateway {

// Lets maps be asked with a view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};
template <class T>
using ByName = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;
// Null when there is none of that name.
template <class T>
[[nodiscard]] const T* find(const ByName<T>& all, std::string_view name) {
  const auto at = all.find(name);
  return at == all.end() ? nullptr : &at->second;
}

// A public model name.
struct Model {
  std::string name;
  Label label;
  std::vector<fleet::Target> targets;          // weighted ones, then the fallback chain
  std::vector<control::PlanTarget> plan;       // the same, as the plan of attempts sees them
  static constexpr Duration kDeadline = 600s;  // also of `provider/model`
  Duration deadline = kDeadline;
  TierSet tiers;  // whose callers may ask for it
};

struct Workload {
  Label label;
  control::Priority priority = control::Priority::kStandard;
  Delivery delivery = Delivery::kStream;
  CallerLimits limits;
  // Rules for its requests, see gateway/policy.h.
  std::vector<policy::Glob> models = {};  // names that it may ask for; empty: all
  std::vector<bool> providers = {};       // by index, those that may serve it; empty: all
  std::optional<std::uint64_t> output_tokens_max = {};  // of one request; nullopt: no ceiling
  policy::OutputOver output_over = policy::OutputOver::kRefuse;
  policy::Tools tools = policy::Tools::kAllow;
  policy::LabelRule label_rule = policy::LabelRule::kOptional;
  std::vector<std::string> labels = {};  // that x-penstock-label may say; empty: anything
  std::string system_message = {};       // as dialect::openai::Imposed::first_message; empty: none
  std::shared_ptr<const WorkloadRedaction> redaction = nullptr;  // null: none
};

struct Tenant {
  Label label;
  Tier tier = Tier::kInternal;
  CallerLimits limits;
  ByName<Workload> workloads;
  ByName<CallerLimits> keys;  // by key id; those that have limits
};

// A config, compiled: what a request needs, in the form in which it needs it. Immutable; a request
// keeps the one it began with.
struct Snapshot {
  identity::AuthMode auth = identity::AuthMode::kKeys;
  std::optional<identity::KeyRing> keys;                    // in the modes that take keys
  std::shared_ptr<const identity::TokenRules> token_rules;  // in those that take tokens
  ByName<Tenant> tenants;
  std::vector<fleet::Provider> providers;
  ByName<std::size_t> provider_index;
  ByName<Model> models;
  std::vector<std::string> model_names;  // in the config's order
  LimitsConfig limits;
  AdmissionConfig admission;
  control::RetryConfig retry;
  StreamConfig stream;
  Duration body_wait = 60s;
  std::int64_t created = 0;  // seconds since 1970, shown as the models' age

  [[nodiscard]] const fleet::Provider* find_provider(std::string_view name) const {
    const std::size_t* index = find(provider_index, name);
    return index == nullptr ? nullptr : &providers[*index];
  }
};

}  // namespace penstock::gateway
