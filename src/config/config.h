#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/field.h"
#include "base/field_text.h"
#include "base/named.h"
#include "base/secret_ref.h"
#include "config/models_config.h"
#include "config/providers_config.h"
#include "config/tenants_config.h"
#include "control/retry_plan.h"
#include "gateway/admission_config.h"
#include "gateway/drain_config.h"
#include "gateway/limits_config.h"
#include "gateway/stream_config.h"
#include "identity/auth_config.h"
#include "net/listen_config.h"
#include "store/store_config.h"
#include "telemetry/telemetry_config.h"

namespace penstock::config {

// YAML: admin
struct AdminConfig {
  SecretRef token;  // empty: the admin plane asks for none
};

constexpr auto fields(Describe<AdminConfig>) {
  using C = AdminConfig;
  return std::tuple{
      field("token", &C::token, any(), Reload::kReload,
            "Bearer token of the admin plane; /livez and /readyz never need it."),
  };
}

// The whole file. Holds references to secrets, never secrets.
struct Config {
  std::uint32_t version = 1;
  std::optional<std::uint32_t> workers;  // absent: one a CPU this process may run on
  net::ListenConfig listen;
  AdminConfig admin;
  gateway::LimitsConfig limits;
  gateway::AdmissionConfig admission;
  identity::AuthConfig auth;
  Named<TenantConfig> tenants;
  Named<ProviderConfig> providers;
  Named<ModelConfig> models;
  control::RetryConfig retry;
  gateway::StreamConfig stream;
  gateway::DrainConfig drain;
  store::StoreConfig store;
  telemetry::TelemetryConfig telemetry;
};

constexpr auto fields(Describe<Config>) {
  using C = Config;
  return std::tuple{
      field("version", &C::version, required(range(1, 1)), Reload::kRestart,
            "The version of this file's format."),
      field("workers", &C::workers, or_word("auto", range(1, 256)), Reload::kRestart,
            "Worker threads; auto is one for each CPU this process may run on."),
      field("listen", &C::listen, required(any()), Reload::kRestart, "Where clients connect."),
      field("admin", &C::admin, any(), Reload::kRestart, "Protection of the admin plane."),
      field("limits", &C::limits, any(), Reload::kLive, "Bounds of the whole process."),
      field("admission", &C::admission, any(), Reload::kLive,
            "Waiting for a place under limits.in_flight."),
      field("auth", &C::auth, any(), Reload::kRestart, "How callers are known."),
      field("tenants", &C::tenants, kNameRule, Reload::kLive, "Who may call."),
      field("providers", &C::providers, kNameRule, Reload::kLive, "Who serves."),
      field("models", &C::models, kModelNameRule, Reload::kLive,
            "The names that clients ask for, and where each goes."),
      field("retry", &C::retry, any(), Reload::kLive, "Attempts after a failed one."),
      field("stream", &C::stream, any(), Reload::kLive, "Streamed replies."),
      field("drain", &C::drain, any(), Reload::kRestart, "How the process leaves."),
      field("store", &C::store, any(), Reload::kRestart, "Where state is kept."),
      field("telemetry", &C::telemetry, any(), Reload::kRestart, "Logs."),
  };
}
constexpr auto later_keys(Describe<Config>) {
  return std::array<std::string_view, 2>{"prices", "alerts"};
}

}  // namespace penstock::config
