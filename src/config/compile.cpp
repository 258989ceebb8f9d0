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

dialect::Dialect dialect_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::kOpenai: return dialect::Dialect::kOpenai;
  }
  return dialect::Dialect::kOpenai;
}

// "host:port" as it stands in the Host header: the port only when it is not the scheme's own.
std::string authority(const BaseUrl& url) {
  std::string text = url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
  if (url.port != (url.scheme == "https" ? 443 : 80)) text += ":" + std::to_string(url.port);
  return text;
}

Result<fleet::Replica> compile_replica(const ReplicaConfig& config,
                                       const fleet::Provider& provider) {
  const std::optional<BaseUrl> url = parse_base_url(config.url);
  if (!url) return fail(ErrorCode::kInvalidRequest, "\"" + config.url + "\" is not a base URL");
  fleet::Replica replica;
  replica.origin.host = url->host;
  replica.origin.port = url->port;
  replica.origin.tls = url->scheme == "https" ? provider.tls.get() : nullptr;
  replica.name = authority(*url);
  replica.base_path = url->path.empty() ? std::string(provider.dialect->base_path) : url->path;
  replica.weight = config.weight;
  return replica;
}

bool uses_tls(const ProviderConfig& config) {
  for (const ReplicaConfig& replica : config.replicas)
    if (replica.url.starts_with("https:")) return true;
  return false;
}

Result<fleet::Provider> compile_provider(const std::string& name, const ProviderConfig& config,
                                         const SecretSource& secrets, LabelNames& labels) {
  fleet::Provider provider;
  provider.name = name;
  provider.label = labels.intern(name);
  provider.dialect = &dialect::info(dialect_of(config.dialect));
  if (!config.key.empty()) {
    PENSTOCK_TRY(provider.key, resolve_word(config.key, secrets));
  }
  provider.timeouts = {config.timeouts.connect, config.timeouts.first_byte, config.timeouts.idle};
  provider.pool = {config.timeouts.connect, config.limits.wait, config.keep_alive};
  provider.force_usage = config.usage_in_stream == UsageInStream::kForce
                             ? dialect::openai::ForceUsage::kForce
                             : dialect::openai::ForceUsage::kLeave;
  provider.permits =
      std::make_shared<net::ConnectionPermits>(config.limits.connections, config.limits.waiting);
  if (uses_tls(config)) {
    std::string trusted;
    if (config.tls) {
      PENSTOCK_TRY(const Secret pem, resolve(config.tls->ca, secrets));
      trusted = pem.reveal();
    }
    PENSTOCK_TRY(provider.tls, net::TlsClient::create(trusted));
  }
  for (const ReplicaConfig& replica : config.replicas) {
    PENSTOCK_TRY(fleet::Replica compiled, compile_replica(replica, provider));
    provider.replicas.push_back(std::move(compiled));
  }
  return provider;
}

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
    for (const TargetConfig& target : model.targets)
      compiled.targets.push_back(
          {snapshot.provider_index.at(target.provider), target.model, target.weight});
    snapshot.model_names.push_back(name);
  }
}

}  // namespace

Result<std::shared_ptr<const gateway::Snapshot>> compile(const Config& config,
                                                         const SecretSource& secrets,
                                                         LabelNames& labels, WallTime now) {
  auto snapshot = std::make_shared<gateway::Snapshot>();
  snapshot->auth = config.auth.mode;
  if (config.auth.mode == identity::AuthMode::kKeys) {
    PENSTOCK_TRY(snapshot->keys, compile_keys(config));
  }
  compile_tenants(config, labels, *snapshot);
  for (const auto& [name, provider] : config.providers) {
    PENSTOCK_TRY(fleet::Provider compiled, compile_provider(name, provider, secrets, labels));
    snapshot->provider_index[name] = snapshot->providers.size();
    snapshot->providers.push_back(std::move(compiled));
  }
  compile_models(config, labels, *snapshot);
  snapshot->limits = config.limits;
  snapshot->stream = config.stream;
  snapshot->body_wait = config.listen.body_wait;
  snapshot->created = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  return std::shared_ptr<const gateway::Snapshot>(std::move(snapshot));
}

}  // namespace penstock::config
