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
#include <fmt/ranges.h>

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
#include "gateway/access.h"
#include "gateway/identify.h"
#include "gateway/policy.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/routing.h"
#include "gateway/snapshot.h"
#include "gateway/token_caller.h"
#include "identity/auth_config.h"
#include "identity/claims.h"
#include "identity/credentials.h"
#include "identity/token.h"
#include "policy/glob.h"
#include "policy/output_rule.h"
#include "policy/rules_config.h"

namespace penstock::app {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// The rules that are set; what they say of one model is told by its places and the refusal.
std::vector<ExplainedRule> rules_of(const gateway::Workload* workload, std::string_view tier) {
  std::vector<ExplainedRule> rules;
  rules.push_back(
      {"tier", fmt::format("{}: providers and models of other tiers are barred", tier)});
  if (workload == nullptr) return rules;
  std::vector<std::string> globs;
  for (const policy::Glob& glob : workload->models) globs.push_back(glob.text());
  if (!globs.empty()) rules.push_back({"models", "only " + joined(globs)});
  if (!workload->labels.empty() || workload->label_rule == policy::LabelRule::kRequired)
    rules.push_back({"label", fmt::format("x-penstock-label {} one of: {}",
                                          workload->label_rule == policy::LabelRule::kRequired
                                              ? "must be"
                                              : "may be left out, else it must be",
                                          joined(workload->labels))});
  if (workload->tools == policy::Tools::kDeny)
    rules.push_back({"tools", "a request with tools or functions is refused"});
  if (workload->output_tokens_max)
    rules.push_back(
        {"output_tokens_max",
         fmt::format("{} a request, all choices together; more is {}; said to the "
                     "provider when the client says nothing",
                     *workload->output_tokens_max,
                     workload->output_over == policy::OutputOver::kClamp ? "clamped" : "refused")});
  if (!workload->system_message.empty())
    rules.push_back({"system_prompt", "put before all messages of a chat"});
  return rules;
}

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

// Whom a good token with these claims would name.
Result<Principal> token_principal(const Question& question, const gateway::Snapshot& snapshot) {
  identity::Claims claims;
  claims.tenant = question.tenant;
  if (!question.workload.empty()) claims.workload = question.workload;
  return gateway::principal_of(snapshot, claims);
}

Result<Principal> principal_of(const Question& question, const gateway::Snapshot& snapshot,
                               WallTime wall) {
  if (snapshot.auth == identity::AuthMode::kDev)
    return gateway::dev_principal(snapshot, question.tenant);
  const bool keyless = !identity::takes_keys(snapshot.auth);
  if (identity::takes_tokens(snapshot.auth)) {
    if (question.key.empty()) return token_principal(question, snapshot);
    if (keyless || identity::looks_like_token(question.key.reveal()))
      return fail(ErrorCode::kUnauthenticated,
                  "A token is not verified here, for that needs its issuer's keys. Say what it "
                  "claims: --tenant, --workload.");
  }
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

// What the places of a route are looked at with.
struct Look {
  const gateway::Snapshot& snapshot;
  const Values& values;
  gateway::Access access;
  control::Priority priority;
  TimePoint now;
};

std::string why_barred(gateway::Barred barred) {
  switch (barred) {
    case gateway::Barred::kTiers: return "not for this tier";
    case gateway::Barred::kProviders: return "not among the workload's providers";
    case gateway::Barred::kNo:
    case gateway::Barred::kModels: break;
  }
  return {};
}

// weights: of the places that are not barred.
ExplainedTarget explained(const fleet::Target& target, std::uint64_t weights, const Look& look) {
  const auto& [snapshot, values, access, priority, now] = look;
  const fleet::Provider& provider = snapshot.providers[target.provider];
  ExplainedTarget shown{.role = target.role, .provider = provider.name, .model = target.model};
  shown.barred = why_barred(access.provider(target.provider));
  if (target.role == control::TargetRole::kWeighted && weights != 0 && shown.barred.empty())
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
  const gateway::Caller caller = gateway::caller_of(snapshot, *who);
  told.rules = rules_of(caller.workload, told.tier);
  const gateway::Access access(snapshot, caller.workload, who->tier);
  Result<gateway::Route> route = gateway::route_of(
      snapshot, question.model,
      question.provider ? std::optional<std::string_view>(*question.provider) : std::nullopt,
      access);
  if (!route) {
    told.refused = std::move(route).error();
    return told;
  }
  told.named = route->chosen_by == gateway::Route::ChosenBy::kClient;
  told.deadline = route->deadline();
  values.add(told.retry, "retry");
  std::uint64_t weights = 0;
  for (const fleet::Target& target : route->targets())
    if (target.role == control::TargetRole::kWeighted &&
        access.provider(target.provider) == gateway::Barred::kNo)
      weights += target.weight;
  const Look look{snapshot, values, access, gateway::priority_of(caller), now};
  for (const fleet::Target& target : route->targets())
    told.targets.push_back(explained(target, weights, look));
  if (auto closed = gateway::judge_route(*route, question.model, access)) {
    told.rules.push_back({std::string(gateway::name(closed->by)), "bars this request"});
    told.refused = std::move(closed->error);
    return told;
  }
  const bool any = std::ranges::any_of(told.targets, [](const ExplainedTarget& target) {
    return target.barred.empty() && std::ranges::any_of(target.replicas, &ExplainedReplica::in);
  });
  if (!any) told.refused = Error(ErrorCode::kNoReplica);
  return told;
}

}  // namespace penstock::app
