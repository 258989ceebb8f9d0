#include "config/compile_tenants.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_code.h"
#include "base/field.h"
#include "base/label.h"
#include "base/result.h"
#include "config/config.h"
#include "config/tenants_config.h"
#include "control/emergency.h"
#include "control/rate_bucket.h"
#include "crypto/hex.h"
#include "crypto/sha256.h"
#include "gateway/caller_limits.h"
#include "gateway/caller_limits_config.h"
#include "gateway/shared_limits.h"
#include "gateway/snapshot.h"
#include "gateway/workload_redaction.h"
#include "identity/auth_config.h"
#include "identity/claims.h"
#include "identity/key_ring.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"
#include "store/store_config.h"

namespace penstock::config {
namespace {

Result<identity::KeyRing> compile_keys(const Config& config) {
  std::vector<identity::KeyEntry> entries;
  for (const auto& [name, tenant] : config.tenants) {
    for (const KeyConfig& key : tenant.keys) {
      crypto::Sha256Digest digest;
      if (!crypto::hex_decode(key.sha256, digest))
        return fail(ErrorCode::kInvalidRequest, "key " + key.id + " has no SHA-256");
      entries.push_back(
          {.sha256 = digest,
           .tenant = name,
           .workload = key.workload,
           .key_id = key.id,
           .tier = tenant.tier,
           .expires = key.expires,
           .state = key.disabled ? identity::KeyState::kDisabled : identity::KeyState::kEnabled});
    }
  }
  return identity::KeyRing::build(std::move(entries));
}

std::optional<control::Rate> requests_of(const gateway::CallerLimitsConfig& config) {
  if (!config.requests) return std::nullopt;
  return control::Rate{.units = config.requests->count,
                       .per = length_of(config.requests->per),
                       .burst = gateway::burst_of(*config.requests, config.burst)};
}

std::optional<control::Rate> tokens_of(const gateway::CallerLimitsConfig& config) {
  if (!config.tokens) return std::nullopt;
  return control::Rate{.units = config.tokens->count,
                       .per = length_of(config.tokens->per),
                       .burst = gateway::burst_of_tokens(*config.tokens)};
}

// Whose limits they are. Names have no braces, so that the tenant is the hash tag of every key.
struct Owner {
  std::string_view tenant;
  std::string_view kind = {};  // "w" or "k"; empty: the tenant itself
  std::string_view name = {};

  [[nodiscard]] std::string key(std::string_view what) const {
    if (kind.empty()) return fmt::format("penstock:{{{}}}:{}", tenant, what);
    return fmt::format("penstock:{{{}}}:{}:{}:{}", tenant, kind, name, what);
  }
};

std::shared_ptr<const gateway::SharedLimits> compile_shared(
    const Owner& owner, const gateway::CallerLimitsConfig& config,
    const std::optional<control::EmergencyPart>& part) {
  if (!part) return nullptr;
  auto shared = std::make_shared<gateway::SharedLimits>();
  const auto rate = [&](const std::optional<control::Rate>& its, std::string_view what) {
    if (!its) return std::optional<gateway::SharedRate>();
    return std::optional<gateway::SharedRate>(
        {.key = owner.key(what), .rate = *its, .emergency = emergency_shape(*its, *part)});
  };
  shared->epoch_key = Owner{owner.tenant}.key("epoch");
  shared->requests = rate(requests_of(config), "requests");
  shared->tokens = rate(tokens_of(config), "tokens");
  shared->in_flight_key = owner.key("in_flight");
  shared->in_flight_emergency = emergency_ceiling(config.in_flight.value_or(0), *part);
  return shared;
}

std::optional<control::EmergencyPart> part_of(const store::StoreConfig& config) {
  if (config.quota.kind != store::QuotaKind::kRedis) return std::nullopt;
  return control::EmergencyPart{.share = config.redis.emergency_share,
                                .gateways = config.redis.gateways};
}

std::optional<control::BucketShape> shape_of(const std::optional<control::Rate>& rate) {
  if (!rate) return std::nullopt;
  return control::BucketShape(*rate);
}

// The same object as before where nothing has changed: workers forget their verified tokens when
// there is another one.
std::shared_ptr<const identity::TokenRules> compile_token_rules(const identity::JwtConfig& jwt,
                                                                const gateway::Snapshot* before) {
  identity::TokenRules rules{.issuer = jwt.issuer,
                             .audience = jwt.audience,
                             .tenant_claim = jwt.tenant_claim,
                             .workload_claim = jwt.workload_claim,
                             .tier_claim = jwt.tier_claim};
  if (before != nullptr && before->token_rules != nullptr && *before->token_rules == rules)
    return before->token_rules;
  return std::make_shared<const identity::TokenRules>(std::move(rules));
}

// Null when there is none of that name, or nothing to look in.
template <class T>
const T* find(const gateway::ByName<T>* all, std::string_view name) {
  return all == nullptr ? nullptr : gateway::find(*all, name);
}

gateway::CallerLimits compile_limits(const Owner& owner, const gateway::CallerLimitsConfig& config,
                                     const std::optional<control::EmergencyPart>& part,
                                     const gateway::CallerLimits* before) {
  gateway::CallerLimits limits;
  // A state that is in use stays as it is until the snapshot is in force: apply_limits().
  limits.requests = shape_of(requests_of(config));
  limits.tokens = shape_of(tokens_of(config));
  if (before != nullptr) {
    limits.state = before->state;
  } else {
    limits.state->in_flight.set_limit(config.in_flight.value_or(gateway::LimitState::kNoCeiling));
    limits.state->requests_shape = limits.requests;
    limits.state->tokens_shape = limits.tokens;
  }
  if (config.requests)
    limits.requests_per_second = static_cast<double>(config.requests->hourly()) / 3600;
  if (config.tokens) limits.tokens_per_second = static_cast<double>(config.tokens->hourly()) / 3600;
  limits.in_flight = config.in_flight;
  limits.shared = compile_shared(owner, config, part);
  return limits;
}

Result<std::shared_ptr<const gateway::WorkloadRedaction>> compile_redaction(
    const std::optional<policy::RedactConfig>& config, LabelNames& labels) {
  if (!config) return nullptr;
  PENSTOCK_TRY(policy::Redactor redactor, policy::Redactor::build(*config));
  std::vector<Label> kinds;
  for (std::size_t i = 0; i < redactor.size(); ++i)
    kinds.push_back(labels.intern(redactor.name(i)));
  return std::make_shared<const gateway::WorkloadRedaction>(std::move(redactor), std::move(kinds));
}

}  // namespace

Result<void> compile_tenants(const Config& config, LabelNames& labels,
                             const gateway::Snapshot* before, gateway::Snapshot& snapshot) {
  if (identity::takes_keys(config.auth.mode)) {
    PENSTOCK_TRY(snapshot.keys, compile_keys(config));
  }
  const std::optional<control::EmergencyPart> part = part_of(config.store);
  if (identity::takes_tokens(config.auth.mode))
    snapshot.token_rules = compile_token_rules(*config.auth.jwt, before);
  for (const auto& [name, tenant] : config.tenants) {
    gateway::Tenant& compiled = snapshot.tenants[name];
    compiled.label = labels.intern(name);
    compiled.tier = tenant.tier;
    const gateway::Tenant* old = before != nullptr ? find(&before->tenants, name) : nullptr;
    compiled.limits =
        compile_limits({name}, tenant.limits, part, old != nullptr ? &old->limits : nullptr);
    for (const auto& [workload, its] : tenant.workloads) {
      const gateway::Workload* was = find(old != nullptr ? &old->workloads : nullptr, workload);
      PENSTOCK_TRY(std::shared_ptr<const gateway::WorkloadRedaction> redaction,
                   compile_redaction(its.redact, labels));
      compiled.workloads[workload] = {
          .label = labels.intern(workload),
          .priority = its.priority,
          .delivery = its.delivery,
          .limits = compile_limits({name, "w", workload}, its.limits, part,
                                   was != nullptr ? &was->limits : nullptr),
          .redaction = std::move(redaction)};
    }
    for (const KeyConfig& key : tenant.keys) {
      if (!key.limits.requests && !key.limits.tokens) continue;
      compiled.keys[key.id] =
          compile_limits({name, "k", key.id}, gateway::limits_of(key.limits), part,
                         find(old != nullptr ? &old->keys : nullptr, key.id));
    }
  }
  return {};
}

}  // namespace penstock::config
