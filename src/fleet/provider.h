#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/label.h"
#include "base/secret.h"
#include "base/tier_set.h"
#include "base/units.h"
#include "control/balancers.h"
#include "control/breaker.h"
#include "dialect/openai/request.h"
#include "dialect/registry.h"
#include "fleet/health_config.h"
#include "fleet/replica_state.h"
#include "net/connection_permits.h"
#include "net/connection_pool.h"
#include "net/dialer.h"
#include "net/tls.h"

namespace penstock::fleet {

// One upstream address.
struct Replica {
  net::Origin origin;
  std::string url = {};   // as the config names it
  std::string authority;  // host:port, for the Host header
  std::string name;       // the same, or more where the provider has two there
  std::string base_path;  // such as /v1; no trailing slash
  std::uint32_t weight = 1;
};

struct ProviderTimeouts {
  Duration connect = 1s;
  Duration first_byte = 120s;  // from the request's last byte to the first content
  Duration idle = 60s;         // between contents
};

// A configured upstream at run time. Immutable but for the permits and the state, which all
// workers share.
struct Provider {
  std::string name;
  Label label;
  const dialect::DialectInfo* dialect = nullptr;
  Secret key;  // empty: calls carry no credential
  std::vector<Replica> replicas;
  ProviderTimeouts timeouts;
  control::Balance balance = control::Balance::kWeightedRoundRobin;
  Duration slow_start = 30s;
  control::BreakerConfig breaker;
  std::optional<HealthConfig> health;  // nullopt: not probed
  std::uint32_t in_flight_limit = 400;
  net::PoolOptions pool;
  dialect::openai::ForceUsage force_usage = dialect::openai::ForceUsage::kForce;
  dialect::openai::OutputLimit output_limit = dialect::openai::OutputLimit::kMaxCompletionTokens;
  TierSet tiers;  // whose callers may be served here
  std::shared_ptr<net::TlsClient> tls;
  std::shared_ptr<net::ConnectionPermits> permits;
  std::shared_ptr<ProviderState> state;
};

// Appends the header line of the provider's credential, if it has one. Written by hand so that the
// key is in no other string than this head.
void append_credential(std::string& head, const Provider& provider);

}  // namespace penstock::fleet
