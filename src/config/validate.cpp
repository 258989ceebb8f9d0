#include "config/validate.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/address.h"
#include "base/quantity_text.h"
#include "base/units.h"
#include "config/config.h"
#include "config/models_config.h"
#include "config/path.h"
#include "config/providers_config.h"
#include "control/balancer.h"
#include "control/retry_plan.h"
#include "identity/auth_config.h"

namespace penstock::config {
namespace {

class Validator {
 public:
  Validator(const Config& config, const Origins& origins, Findings& findings)
      : config_(config), origins_(origins), findings_(findings) {}

  void listeners() {
    const std::optional<ListenAddress> data = parse_listen_address(config_.listen.data);
    const std::optional<ListenAddress> admin = parse_listen_address(config_.listen.admin);
    const bool dev = config_.auth.mode == identity::AuthMode::kDev;
    if (data && dev && !is_loopback(*data))
      problem("listen.data", "auth.mode dev believes any caller and serves loopback only",
              "use auth.mode keys, or an address such as 127.0.0.1:7100");
    if (admin && dev && !is_loopback(*admin))
      problem("listen.admin", "auth.mode dev serves loopback only, with a token as well",
              "use auth.mode keys, or an address such as 127.0.0.1:7101");
    else if (admin && config_.admin.token.empty() && !is_loopback(*admin))
      problem("listen.admin", "an admin plane beyond loopback needs admin.token",
              "such as admin: { token: env:PENSTOCK_ADMIN_TOKEN }");
    if (data && admin && data->port != 0 && data->host == admin->host && data->port == admin->port)
      problem("listen.admin", "is the address of listen.data", "");
  }

  void limits() {
    if (config_.limits.body_memory < config_.limits.body_bytes)
      problem("limits.body_memory",
              fmt::format("is smaller than one body of limits.body_bytes ({})",
                          bytes_text(config_.limits.body_bytes)),
              "");
  }

  void keys() {
    if (config_.auth.mode != identity::AuthMode::kKeys) return;
    for (const auto& [name, tenant] : config_.tenants)
      if (tenant.keys.empty())
        problem(path_of("tenants", name), "has no keys, so that nobody can call for it",
                "mint one with penstock keys new");
    if (config_.tenants.empty())
      warning("auth.mode", "keys are asked for and no tenant has one: every call is refused", "");
  }

  void providers() {
    for (const auto& [name, provider] : config_.providers) {
      const std::string path = path_of("providers", name);
      const std::string replicas = path_of(path, "replicas");
      if (provider.replicas.size() > control::kReplicasMax)
        problem(replicas, fmt::format("has more than {} replicas", control::kReplicasMax), "");
      if (provider.replicas.empty() && origins_.find(replicas) != nullptr)
        problem(replicas, "has no replica", "");
      const bool plain = std::ranges::none_of(provider.replicas, [](const ReplicaConfig& replica) {
        return replica.url.starts_with("https://");
      });
      if (provider.tls && plain && !provider.replicas.empty())
        warning(path_of(path, "tls"), "no replica has an https URL", "");
    }
  }

  void models() {
    for (const auto& [name, model] : config_.models) {
      const std::string targets = path_of(path_of("models", name), "targets");
      if (origins_.find(targets) == nullptr) continue;
      if (model.targets.empty())
        problem(targets, "has no target", "");
      else if (std::ranges::all_of(model.targets,
                                   [](const TargetConfig& t) { return t.weight == 0; }))
        problem(targets, "every weight is 0, so that no request has a target", "");
      constexpr std::size_t kMax = control::RetryPlan::kTargetsMax;
      if (model.targets.size() + model.fallback.size() > kMax)
        problem(targets, fmt::format("has more than {} places, fallbacks included", kMax), "");
    }
  }

  // What waits longer than any request lives never comes true.
  void patience() {
    std::optional<Duration> longest_of_all;
    for (const auto& [name, model] : config_.models)
      longest_of_all = std::max(longest_of_all.value_or(0s), model.deadline);
    if (longest_of_all && config_.admission.queue > 0 &&
        config_.admission.queue_wait >= *longest_of_all)
      warning("admission.queue_wait", not_below("any model", *longest_of_all),
              "whoever waits that long is told of the deadline instead");
    for (const auto& [name, provider] : config_.providers) patience_of(name, provider);
  }

  // A balancer cuts a connection on which nothing moves for its idle time-out.
  void balancer() {
    if (!config_.listen.balancer_idle) return;
    const Duration cut = *config_.listen.balancer_idle;
    const std::string limit = fmt::format("listen.balancer_idle ({})", duration_text(cut));
    if (config_.drain.settle == Duration::zero())
      warning("drain.settle", "is 0 with a balancer in front",
              "it sends into a closed port until its health check has failed");
    if (config_.stream.heartbeat >= cut)
      warning("stream.heartbeat", fmt::format("is not below {}", limit),
              "streams in silence will be cut by the balancer");
    for (const auto& [name, provider] : config_.providers)
      if (provider.timeouts.idle > cut)
        warning(path_of(path_of(path_of("providers", name), "timeouts"), "idle"),
                fmt::format("{} is above {}", duration_text(provider.timeouts.idle), limit),
                "the balancer gives up before Penstock does");
    for (const auto& [name, model] : config_.models)
      if (model.deadline > cut)
        warning(path_of(path_of("models", name), "deadline"),
                fmt::format("{} is above {}", duration_text(model.deadline), limit),
                "the balancer gives up before Penstock does, unless the reply is streamed");
  }

 private:
  static std::string not_below(std::string_view whose, Duration deadline) {
    return fmt::format("is not below the deadline of {} ({})", whose, duration_text(deadline));
  }

  void patience_of(const std::string& name, const ProviderConfig& provider) {
    const std::string path = path_of("providers", name);
    if (provider.health && provider.health->timeout > provider.health->interval)
      warning(path_of(path_of(path, "health"), "timeout"), "is above the interval",
              "probes of one replica never overlap: a silent one is probed less often");
    std::optional<Duration> longest;
    for (const auto& [model_name, model] : config_.models) {
      const auto here = [&](const auto& target) { return target.provider == name; };
      if (std::ranges::any_of(model.targets, here) || std::ranges::any_of(model.fallback, here))
        longest = std::max(longest.value_or(0s), model.deadline);
    }
    if (!longest) return;
    const std::string served = not_below("any model served here", *longest);
    if (provider.breaker.slow_call && *provider.breaker.slow_call >= *longest)
      warning(path_of(path_of(path, "breaker"), "slow_call"), served,
              "no call lives long enough to count as slow");
    const std::string first_byte = path_of(path_of(path, "timeouts"), "first_byte");
    if (origins_.find(first_byte) != nullptr && provider.timeouts.first_byte >= *longest)
      warning(first_byte, served, "a silent replica leaves no time for a retry elsewhere");
  }

  void problem(const std::string& path, std::string_view what, std::string hint) {
    findings_.problems.push_back(
        {origins_.nearest(path), fmt::format("{}: {}", path, what), std::move(hint)});
  }
  void warning(const std::string& path, std::string_view what, std::string hint) {
    findings_.warnings.push_back(
        {origins_.nearest(path), fmt::format("{}: {}", path, what), std::move(hint)});
  }

  const Config& config_;
  const Origins& origins_;
  Findings& findings_;
};

}  // namespace

void validate(const Config& config, const Origins& origins, Findings& findings) {
  Validator validator(config, origins, findings);
  validator.listeners();
  validator.limits();
  validator.keys();
  validator.providers();
  validator.models();
  validator.patience();
  validator.balancer();
  validate_auth(config, origins, findings);
  validate_limits(config, origins, findings);
  validate_store(config, origins, findings);
  validate_names(config, origins, findings.problems);
  validate_rules(config, origins, findings);
  validate_redaction(config, origins, findings.problems);
}

}  // namespace penstock::config
