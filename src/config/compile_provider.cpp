#include "config/compile_provider.h"

#include <algorithm>
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
#include "config/providers_config.h"
#include "config/secrets.h"
#include "config/tiers_config.h"
#include "dialect/openai/request.h"
#include "dialect/registry.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
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

Result<fleet::Replica> compile_replica(const ReplicaConfig& config, Dialect dialect,
                                       const fleet::Provider& provider) {
  const std::optional<BaseUrl> url = parse_base_url(config.url);
  if (!url) return fail(ErrorCode::kInvalidRequest, "\"" + config.url + "\" is not a base URL");
  fleet::Replica replica;
  replica.origin.host = url->host;
  replica.origin.port = url->port;
  replica.origin.tls = url->scheme == "https" ? provider.tls.get() : nullptr;
  replica.url = config.url;
  replica.authority = authority_of(*url);
  replica.name = replica.authority;
  replica.base_path = base_path_of(*url, dialect);
  replica.weight = config.weight;
  return replica;
}

bool uses_tls(const ProviderConfig& config) {
  for (const ReplicaConfig& replica : config.replicas)
    if (replica.url.starts_with("https:")) return true;
  return false;
}

// Two names must not be one: they are labels of metrics.
void tell_apart(std::vector<fleet::Replica>& replicas) {
  const auto place = [](const fleet::Replica& replica) {
    return replica.authority + replica.base_path;
  };
  for (fleet::Replica& replica : replicas) {
    if (std::ranges::count(replicas, replica.authority, &fleet::Replica::authority) == 1) continue;
    const bool alone = std::ranges::count(replicas, place(replica), place) == 1;
    replica.name = alone ? place(replica) : replica.url;  // the scheme or its port alone differs
  }
}

// What all workers share of it, taken over from the config before where there is one.
void attach_state(fleet::Provider& provider, const ProviderConfig& config,
                  const fleet::Provider* before) {
  const ProviderLimitsConfig& limits = config.limits;
  provider.in_flight_limit = limits.in_flight;
  if (before != nullptr && before->replicas.size() == provider.replicas.size()) {
    provider.permits = before->permits;
    provider.state = before->state;
    return;
  }
  provider.permits = std::make_shared<net::ConnectionPermits>(limits.connections, limits.waiting);
  provider.state = std::make_shared<fleet::ProviderState>(config.replicas.size(), limits.in_flight);
}

}  // namespace

std::string base_path_of(const BaseUrl& url, Dialect dialect) {
  return url.path.empty() ? std::string(dialect::info(dialect_of(dialect)).base_path) : url.path;
}

Result<fleet::Provider> compile_provider(const std::string& name, const ProviderConfig& config,
                                         const SecretSource& secrets, LabelNames& labels,
                                         const fleet::Provider* before, Credentials credentials) {
  fleet::Provider provider;
  provider.name = name;
  provider.label = labels.intern(name);
  provider.dialect = &dialect::info(dialect_of(config.dialect));
  if (before != nullptr && credentials == Credentials::kKept) {
    provider.key = before->key;
  } else if (!config.key.empty()) {
    PENSTOCK_TRY(provider.key, resolve_word(config.key, secrets));
  }
  provider.timeouts = {config.timeouts.connect, config.timeouts.first_byte, config.timeouts.idle};
  provider.pool = {config.timeouts.connect, config.limits.wait, config.keep_alive};
  provider.force_usage = config.usage_in_stream == UsageInStream::kForce
                             ? dialect::openai::ForceUsage::kForce
                             : dialect::openai::ForceUsage::kLeave;
  provider.output_limit = config.output_limit == OutputLimit::kMaxTokens
                              ? dialect::openai::OutputLimit::kMaxTokens
                              : dialect::openai::OutputLimit::kMaxCompletionTokens;
  provider.tiers = compile_tiers(config.tiers);
  provider.balance = config.balance;
  provider.slow_start = config.slow_start;
  provider.breaker = config.breaker;
  provider.health = config.health;
  if (before != nullptr && before->tls != nullptr) {
    provider.tls = before->tls;  // with its sessions; the workers' pools keep pointing at it
  } else if (uses_tls(config)) {
    std::string trusted;
    if (config.tls) {
      PENSTOCK_TRY(const Secret pem, resolve(config.tls->ca, secrets));
      trusted = pem.reveal();
    }
    PENSTOCK_TRY(provider.tls, net::TlsClient::create(trusted));
  }
  for (const ReplicaConfig& replica : config.replicas) {
    PENSTOCK_TRY(fleet::Replica compiled, compile_replica(replica, config.dialect, provider));
    provider.replicas.push_back(std::move(compiled));
  }
  tell_apart(provider.replicas);
  attach_state(provider, config, before);
  return provider;
}

}  // namespace penstock::config
