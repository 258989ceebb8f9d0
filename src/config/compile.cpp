#include "config/compile.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/error_code.h"
#include "base/label.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/secret.h"
#include "base/units.h"
#include "config/compile_provider.h"
#include "config/config.h"
#include "config/models_config.h"
#include "config/providers_config.h"
#include "config/secrets.h"
#include "config/tenants_config.h"
#include "crypto/hex.h"
#include "crypto/sha256.h"
#include "dialect/openai/request.h"
#include "dialect/registry.h"
#include "fleet/provider.h"
#include "gateway/snapshot.h"
#include "identity/auth_config.h"
#include "identity/key_ring.h"
#include "net/connection_permits.h"
#include "net/tls.h"

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

void compile_tenants(const Config& config, LabelNames& labels, gateway::Snapshot& snapshot) {
  for (const auto& [name, tenant] : config.tenants) {
    gateway::Tenant& compiled = snapshot.tenants[name];
    compiled.label = labels.intern(name);
    compiled.tier = tenant.tier;
    for (const auto& [workload, unused] : tenant.workloads)
      compiled.workloads[workload] = labels.intern(workload);
  }
}

void compile_models(const Config& config, LabelNames& labels, gateway::Snapshot& snapshot) {
  for (const auto& [name, model] : config.models) {
    gateway::Model& compiled = snapshot.models[name];
    compiled.name = name;
    compiled.label = labels.intern(name);
    compiled.deadline = model.deadline;
    for (const TargetConfig& target : model.targets)
      compiled.targets.push_back({.provider = snapshot.provider_index.at(target.provider),
                                  .model = target.model,
                                  .weight = target.weight});
    for (const FallbackConfig& target : model.fallback)
      compiled.targets.push_back({.provider = snapshot.provider_index.at(target.provider),
                                  .model = target.model,
                                  .role = control::TargetRole::kFallback});
    for (const fleet::Target& target : compiled.targets) compiled.plan.push_back(target.planned());
    snapshot.model_names.push_back(name);
  }
}

}  // namespace

Result<std::shared_ptr<const gateway::Snapshot>> compile(const Config& config,
                                                         const SecretSource& secrets,
                                                         LabelNames& labels, WallTime now,
                                                         const gateway::Snapshot* before) {
  auto snapshot = std::make_shared<gateway::Snapshot>();
  snapshot->auth = config.auth.mode;
  if (config.auth.mode == identity::AuthMode::kKeys) {
    PENSTOCK_TRY(snapshot->keys, compile_keys(config));
  }
  compile_tenants(config, labels, *snapshot);
  for (const auto& [name, provider] : config.providers) {
    PENSTOCK_TRY(fleet::Provider compiled,
                 compile_provider(name, provider, secrets, labels,
                                  before != nullptr ? before->find_provider(name) : nullptr));
    snapshot->provider_index[name] = snapshot->providers.size();
    snapshot->providers.push_back(std::move(compiled));
  }
  compile_models(config, labels, *snapshot);
  snapshot->limits = config.limits;
  snapshot->retry = config.retry;
  snapshot->stream = config.stream;
  snapshot->body_wait = config.listen.body_wait;
  snapshot->created = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  return std::shared_ptr<const gateway::Snapshot>(std::move(snapshot));
}

}  // namespace penstock::config
