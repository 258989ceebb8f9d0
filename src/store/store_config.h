#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/field.h"
#include "base/secret_ref.h"
#include "base/units.h"

namespace penstock::store {

enum class QuotaKind : std::uint8_t {
  kMemory,  // of this process alone
  kRedis,   // shared by every gateway on the same Redis
};

constexpr auto enum_names(Describe<QuotaKind>) {
  return std::array{EnumName<QuotaKind>{"memory", QuotaKind::kMemory},
                    EnumName<QuotaKind>{"redis", QuotaKind::kRedis}};
}

// YAML: store.quota
struct QuotaStoreConfig {
  QuotaKind kind = QuotaKind::kMemory;
};

constexpr auto fields(Describe<QuotaStoreConfig>) {
  using C = QuotaStoreConfig;
  return std::tuple{
      field("kind", &C::kind, any(), Reload::kRestart,
            "Where quotas are counted: in this process, or in Redis for all gateways together."),
  };
}

// YAML: store.redis.tls
struct RedisTlsConfig {
  SecretRef ca;
};

constexpr auto fields(Describe<RedisTlsConfig>) {
  using C = RedisTlsConfig;
  return std::tuple{
      field("ca", &C::ca, required(any()), Reload::kRestart,
            "Certificates in PEM to trust instead of the system's. Verification cannot be turned "
            "off."),
  };
}

// YAML: store.redis
struct RedisConfig {
  SecretRef url;  // empty: none was given
  Duration timeout = 50ms;
  std::uint32_t gateways = 1;
  Ratio emergency_share{200'000};
  Duration budget_open_for = 60s;
  std::optional<RedisTlsConfig> tls;
};

constexpr auto fields(Describe<RedisConfig>) {
  using C = RedisConfig;
  return std::tuple{
      field("url", &C::url, any(), Reload::kRestart,
            "Where the URL stands: redis[s]://[user[:password]@]host[:port][/database]."),
      field("timeout", &C::timeout, range(1ms, 1s), Reload::kRestart,
            "Longest wait for one command; after it the gateway decides by itself."),
      field("gateways", &C::gateways, range(1, 10'000), Reload::kRestart,
            "How many gateways share the limits; each takes its part while Redis is away."),
      field("emergency_share", &C::emergency_share, range(Ratio{0}, Ratio{1'000'000}),
            Reload::kRestart,
            "The share of every limit that all gateways together allow while Redis is away."),
      field("budget_open_for", &C::budget_open_for, range(0s, 1h), Reload::kRestart,
            "How long internal tenants may go on spending while Redis is away."),
      field("tls", &C::tls, any(), Reload::kRestart, "TLS to Redis; for a rediss URL."),
  };
}

// YAML: store
struct StoreConfig {
  QuotaStoreConfig quota;
  RedisConfig redis;
};

constexpr auto fields(Describe<StoreConfig>) {
  using C = StoreConfig;
  return std::tuple{
      field("quota", &C::quota, any(), Reload::kRestart, "What callers have used of their limits."),
      field("redis", &C::redis, any(), Reload::kRestart,
            "The Redis, or Redis Cluster, of whatever is kept there."),
  };
}
constexpr auto later_keys(Describe<StoreConfig>) {
  return std::array<std::string_view, 3>{"ledger", "journal", "postgres"};
}

}  // namespace penstock::store
