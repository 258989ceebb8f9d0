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
#include "base/secret_ref.h"
#include "base/units.h"
#include "config/tiers_config.h"
#include "control/balancers.h"
#include "control/breaker.h"
#include "fleet/health_config.h"

namespace penstock::config {

enum class Dialect : std::uint8_t { kOpenai };

constexpr auto enum_names(Describe<Dialect>) {
  return std::array{EnumName<Dialect>{"openai", Dialect::kOpenai}};
}
constexpr auto later_names(Describe<Dialect>) {
  return std::array<std::string_view, 7>{"openai_responses", "azure",   "anthropic", "gemini",
                                         "vertex",           "bedrock", "cohere"};
}

// Whether a stream's request is made to ask for usage.
enum class UsageInStream : std::uint8_t { kForce, kLeave };

constexpr auto enum_names(Describe<UsageInStream>) {
  return std::array{EnumName<UsageInStream>{"force", UsageInStream::kForce},
                    EnumName<UsageInStream>{"leave", UsageInStream::kLeave}};
}

// The member that bounds a reply's length, where a rule must say it.
enum class OutputLimit : std::uint8_t { kMaxCompletionTokens, kMaxTokens };

constexpr auto enum_names(Describe<OutputLimit>) {
  return std::array{
      EnumName<OutputLimit>{"max_completion_tokens", OutputLimit::kMaxCompletionTokens},
      EnumName<OutputLimit>{"max_tokens", OutputLimit::kMaxTokens}};
}

// YAML: providers.P.replicas[], or the URL alone
struct ReplicaConfig {
  std::string url;
  std::uint32_t weight = 1;
};

constexpr auto fields(Describe<ReplicaConfig>) {
  using C = ReplicaConfig;
  return std::tuple{
      field("url", &C::url, required(kBaseUrlRule), Reload::kRestart,
            "Base URL. Without a path it gets the dialect's own (/v1 for openai)."),
      field("weight", &C::weight, range(1, 1'000'000), Reload::kRestart,
            "Share of the provider's requests, relative to the other replicas."),
  };
}
constexpr std::string_view shorthand(Describe<ReplicaConfig>) { return "url"; }

// YAML: providers.P.limits
struct ProviderLimitsConfig {
  std::uint32_t in_flight = 400;
  std::uint32_t connections = 512;
  std::uint32_t waiting = 1024;
  Duration wait = 5s;
};

constexpr auto fields(Describe<ProviderLimitsConfig>) {
  using C = ProviderLimitsConfig;
  return std::tuple{
      field("in_flight", &C::in_flight, range(1, 1'000'000), Reload::kLive,
            "Calls to the provider at once; at the limit it is not eligible."),
      field("connections", &C::connections, range(1, 1'000'000), Reload::kRestart,
            "Connections to the provider, over the whole process."),
      field("waiting", &C::waiting, range(0, 1'000'000), Reload::kRestart,
            "Requests that may wait for a connection; more are refused with 503 overloaded."),
      field("wait", &C::wait, range(0ms, 1h), Reload::kRestart,
            "Longest wait for a connection, then 503 overloaded."),
  };
}

// YAML: providers.P.timeouts
struct ProviderTimeoutsConfig {
  Duration connect = 1s;
  Duration first_byte = 120s;
  Duration idle = 60s;
};

constexpr auto fields(Describe<ProviderTimeoutsConfig>) {
  using C = ProviderTimeoutsConfig;
  return std::tuple{
      field("connect", &C::connect, range(100ms, 10min), Reload::kLive,
            "Longest time to open a connection, TLS included."),
      field("first_byte", &C::first_byte, range(100ms, 1h), Reload::kLive,
            "From the request's last byte to the first content of a stream, or the first body "
            "byte of a unary reply."),
      field("idle", &C::idle, range(100ms, 1h), Reload::kLive,
            "Longest silence between contents after that."),
  };
}

// YAML: providers.P.tls
struct ProviderTlsConfig {
  SecretRef ca;
};

constexpr auto fields(Describe<ProviderTlsConfig>) {
  using C = ProviderTlsConfig;
  return std::tuple{
      field("ca", &C::ca, required(any()), Reload::kRestart,
            "Certificates in PEM to trust instead of the system's. Verification cannot be turned "
            "off."),
  };
}

// YAML: providers.P
struct ProviderConfig {
  Dialect dialect = Dialect::kOpenai;
  std::vector<ReplicaConfig> replicas;
  SecretRef key;  // empty: calls carry no credential
  control::Balance balance = control::Balance::kWeightedRoundRobin;
  ProviderLimitsConfig limits;
  ProviderTimeoutsConfig timeouts;
  Duration keep_alive = 4s;
  Duration slow_start = 30s;
  std::optional<fleet::HealthConfig> health;
  control::BreakerConfig breaker;
  UsageInStream usage_in_stream = UsageInStream::kForce;
  OutputLimit output_limit = OutputLimit::kMaxCompletionTokens;
  TiersConfig tiers = every_tier();
  std::optional<ProviderTlsConfig> tls;
};

constexpr auto fields(Describe<ProviderConfig>) {
  using C = ProviderConfig;
  return std::tuple{
      field("dialect", &C::dialect, required(any()), Reload::kRestart,
            "The API family that the provider speaks."),
      field("replicas", &C::replicas, required(any()), Reload::kRestart,
            "The provider's addresses: URLs, or {url, weight}."),
      field("key", &C::key, any(), Reload::kReload, "The credential sent to the provider."),
      field("balance", &C::balance, any(), Reload::kRestart, "How a replica is chosen."),
      field("limits", &C::limits, any(), Reload::kLive, "Bounds of the calls to the provider."),
      field("timeouts", &C::timeouts, any(), Reload::kLive, "How long the provider may take."),
      field("keep_alive", &C::keep_alive, range(100ms, 1h), Reload::kRestart,
            "An idle upstream connection is closed after this long."),
      field("slow_start", &C::slow_start, range(0s, 1h), Reload::kLive,
            "A replica that comes back gets a growing share for this long."),
      field("health", &C::health, any(), Reload::kRestart,
            "Probes of every replica; without it their health is unknown."),
      field("breaker", &C::breaker, any(), Reload::kLive,
            "When a replica that fails or is slow is left alone."),
      field("usage_in_stream", &C::usage_in_stream, any(), Reload::kRestart,
            "force asks for usage in every stream and hides it from clients that did not."),
      field("output_limit", &C::output_limit, any(), Reload::kLive,
            "How a workload's output_tokens_max is said to it in a chat: max_tokens for a provider "
            "that does not know the newer max_completion_tokens."),
      field("tiers", &C::tiers, any(), Reload::kLive,
            "Whose callers may be served here: internal, external; both when not set."),
      field("tls", &C::tls, any(), Reload::kRestart, "TLS to the provider; for https replicas."),
  };
}
constexpr auto later_keys(Describe<ProviderConfig>) {
  return std::array<std::string_view, 6>{"on_disconnect", "version",     "region",
                                         "project",       "api_version", "fetch_images"};
}

}  // namespace penstock::config
