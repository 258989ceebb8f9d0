#include "app/explanation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "config/config.h"
#include "config/load.h"
#include "config/path.h"
#include "config/tenants_config.h"
#include "config/values.h"
#include "control/balancers.h"
#include "control/priority.h"
#include "control/retry_plan.h"
#include "fleet/provider.h"
#include "fleet/standing.h"
#include "fleet/target.h"
#include "gateway/identify.h"
#include "gateway/route.h"
#include "gateway/routing.h"
#include "gateway/snapshot.h"
#include "identity/auth_config.h"
#include "identity/credentials.h"

namespace penstock::app {
namespace {

// Hands out the values of a config by the path they begin with.
class Values {
 public:
  explicit Values(const config::Config& config) : all_(config::values(config)) {}

  // Those that are set: the value of that path, or everything below it.
  void add(std::vector<config::Value>& into, std::string_view path) const {
    for (const config::Value& value : all_) {
      const bool here = value.path.starts_with(path) &&
                        (value.path.size() == path.size() || value.path[path.size()] == '.');
      if (here && value.text) into.push_back(value);
    }
  }

 private:
  std::vector<config::Value> all_;
};

Result<Principal> principal_of(const Question& question, const gateway::Snapshot& snapshot,
                               WallTime wall) {
  if (snapshot.auth == identity::AuthMode::kDev)
    return gateway::dev_principal(snapshot, question.tenant);
  identity::Credentials credentials;
  if (!question.key.empty()) credentials.x_api_key = question.key.reveal();
  return snapshot.keys->identify(credentials, wall);
}

// The process's, the tenant's, the workload's and the key's own.
std::vector<config::Value> limits_of(const Principal& who, const config::Config& config,
                                     const Values& values) {
  std::vector<config::Value> limits;
  values.add(limits, "limits.in_flight");
  values.add(limits, "admission");
  const config::TenantConfig* tenant = config.tenants.find(who.tenant);
  if (tenant == nullptr) return limits;
  const std::string path = config::path_of("tenants", who.tenant);
  values.add(limits, config::path_of(path, "limits"));
  if (!who.workload.empty()) {
    const std::string workload = config::path_of(config::path_of(path, "workloads"), who.workload);
    values.add(limits, config::path_of(workload, "priority"));
    values.add(limits, config::path_of(workload, "limits"));
    values.add(limits, config::path_of(workload, "delivery"));
  }
  for (std::size_t i = 0; i < tenant->keys.size(); ++i)
    if (tenant->keys[i].id == who.key_id)
      values.add(limits,
                 config::path_of(config::path_of(config::path_of(path, "keys"), i), "limits"));
  return limits;
}

ExplainedReplica explained(const fleet::Provider& provider, std::size_t index,
                           control::Priority priority, TimePoint now) {
  const fleet::Standing standing = fleet::standing_of(provider, index, priority, now);
  ExplainedReplica replica{.url = provider.replicas[index].url,
                           .weight = provider.replicas[index].weight,
                           .in = standing == fleet::Standing::kEligible,
                           .why = std::string(fleet::name(standing))};
  if (replica.in)
    replica.why += provider.health ? ", its health is unknown until the first probe"
                                   : ", its health is unknown: it is not probed";
  return replica;
}

ExplainedTarget explained(const fleet::Target& target, std::uint64_t weights,
                          const gateway::Snapshot& snapshot, const Values& values,
                          control::Priority priority, TimePoint now) {
  const fleet::Provider& provider = snapshot.providers[target.provider];
  ExplainedTarget shown{.role = target.role, .provider = provider.name, .model = target.model};
  if (target.role == control::TargetRole::kWeighted && weights != 0)
    shown.share = static_cast<double>(target.weight) / static_cast<double>(weights);
  shown.balance = control::name(provider.balance);
  const std::string path = config::path_of("providers", provider.name);
  values.add(shown.settings, config::path_of(config::path_of(path, "limits"), "in_flight"));
  values.add(shown.settings, config::path_of(path, "timeouts"));
  for (std::size_t i = 0; i < provider.replicas.size(); ++i)
    shown.replicas.push_back(explained(provider, i, priority, now));
  return shown;
}

}  // namespace

Explanation explain(const Question& question, const config::LoadResult& loaded,
                    const gateway::Snapshot& snapshot, TimePoint now, WallTime wall) {
  Explanation told;
  Result<Principal> who = principal_of(question, snapshot, wall);
  if (!who) {
    told.refused = std::move(who).error();
    return told;
  }
  told.tenant = who->tenant;
  told.workload = who->workload;
  told.key_id = who->key_id;
  told.tier = name(who->tier);
  const Values values(loaded.config);
  told.limits = limits_of(*who, loaded.config, values);
  Result<gateway::Route> route = gateway::route_of(
      snapshot, question.model,
      question.provider ? std::optional<std::string_view>(*question.provider) : std::nullopt);
  if (!route) {
    told.refused = std::move(route).error();
    return told;
  }
  const control::Priority priority = gateway::priority_of(gateway::caller_of(snapshot, *who));
  told.named = !route->named.empty();
  told.deadline = route->deadline();
  values.add(told.retry, "retry");
  std::uint64_t weights = 0;
  for (const fleet::Target& target : route->targets())
    if (target.role == control::TargetRole::kWeighted) weights += target.weight;
  for (const fleet::Target& target : route->targets())
    told.targets.push_back(explained(target, weights, snapshot, values, priority, now));
  const bool any = std::ranges::any_of(told.targets, [](const ExplainedTarget& target) {
    return std::ranges::any_of(target.replicas, &ExplainedReplica::in);
  });
  if (!any) told.refused = Error(ErrorCode::kNoReplica);
  return told;
}

}  // namespace penstock::app
