#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/named.h"
#include "base/nearest.h"
#include "base/principal.h"
#include "config/config.h"
#include "config/models_config.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/providers_config.h"
#include "config/tenants_config.h"
#include "config/tiers_config.h"
#include "config/unknown_name.h"
#include "config/validate.h"
#include "identity/auth_config.h"
#include "policy/glob.h"
#include "policy/output_rule.h"
#include "policy/rules_config.h"

namespace penstock::config {
namespace {

bool rules_anything(const WorkloadConfig& rules) {
  return !rules.models.empty() || !rules.providers.empty() || rules.output_tokens_max ||
         rules.tools != policy::Tools::kAllow || rules.label != policy::LabelRule::kOptional ||
         !rules.labels.empty() || !rules.system_prompt.empty() || rules.redact;
}

bool has(const TiersConfig& tiers, Tier tier) {
  return std::ranges::find(tiers, tier) != tiers.end();
}

// A token may make a caller external, never internal: so the tenant's own tier allows the most.
class RulesChecker {
 public:
  RulesChecker(const Config& config, const Origins& origins, Findings& findings)
      : config_(config), origins_(origins), findings_(findings) {}

  void tiers() {
    for (const auto& [name, provider] : config_.providers)
      some_tier(path_of(path_of("providers", name), "tiers"), provider.tiers);
    for (const auto& [name, model] : config_.models) {
      const std::string path = path_of(path_of("models", name), "tiers");
      if (!some_tier(path, model.tiers) || model.targets.empty()) continue;
      const auto served_here = [&](Tier tier) { return served(model, tier, nullptr); };
      if (std::ranges::none_of(model.tiers, served_here))
        problem(path, "no provider of this model serves such callers", "");
      for (const Tier tier : model.tiers)
        if (served_here(tier) && !sent(model, tier, nullptr))
          warning(path, fmt::format("{} callers must name the provider: what may serve them has "
                                    "weight 0",
                                    penstock::name(tier)));
    }
  }

  // Where keys alone say who calls, nobody calls for a workload that none of them names.
  void unnamed(const std::string& path, const TenantConfig& tenant, const std::string& workload,
               const WorkloadConfig& rules) {
    if (config_.auth.mode != identity::AuthMode::kKeys || !rules_anything(rules)) return;
    if (std::ranges::find(tenant.keys, workload, &KeyConfig::workload) == tenant.keys.end())
      problem(path, "has rules that can never bind: no key of the tenant is for it",
              fmt::format("such as workload: {} in one of its keys", workload));
  }

  // A key without a workload passes by the rules of all of them, which may be meant.
  void bare_keys(const std::string& path, const TenantConfig& tenant) {
    bool ruled = false;
    for (const auto& [name, rules] : tenant.workloads) ruled = ruled || rules_anything(rules);
    if (!ruled) return;
    for (std::size_t i = 0; i < tenant.keys.size(); ++i)
      if (tenant.keys[i].workload.empty())
        warning(path_of(path_of(path, "keys"), i),
                "has no workload, so none of the rules of the tenant's workloads holds for it");
  }

  void workload(const std::string& path, const TenantConfig& tenant, const WorkloadConfig& rules) {
    const bool known = providers(path_of(path, "providers"), tenant, rules);
    if (known) models(path, tenant, rules);
    if (known && !rules.providers.empty()) weights(path_of(path, "providers"), tenant, rules);
    labels(path, rules);
    if (rules.output_over == policy::OutputOver::kClamp && !rules.output_tokens_max)
      problem(path_of(path, "output_over"), "binds nothing without output_tokens_max",
              "such as output_tokens_max: 2048");
  }

 private:
  // False when something was found.
  bool some_tier(const std::string& path, const TiersConfig& tiers) {
    if (tiers.empty()) problem(path, "serves nobody", "such as [internal, external]");
    const bool twice = tiers.size() > 1 && std::ranges::count(tiers, tiers.front()) > 1;
    if (twice) problem(path, "names a tier twice", "");
    return !tiers.empty() && !twice;
  }

  [[nodiscard]] bool may_serve(std::string_view provider, Tier tier,
                               const WorkloadConfig* rules) const {
    const ProviderConfig* found = config_.providers.find(provider);
    if (found == nullptr) return true;  // told of elsewhere
    const bool all = rules == nullptr || rules->providers.empty();
    return has(found->tiers, tier) &&
           (all || std::ranges::find(rules->providers, provider) != rules->providers.end());
  }

  // Whether any place of the model may serve such callers.
  [[nodiscard]] bool served(const ModelConfig& model, Tier tier,
                            const WorkloadConfig* rules) const {
    const auto here = [&](const auto& target) { return may_serve(target.provider, tier, rules); };
    return std::ranges::any_of(model.targets, here) || std::ranges::any_of(model.fallback, here);
  }

  // The same of those that requests are sent to which name no provider.
  [[nodiscard]] bool sent(const ModelConfig& model, Tier tier, const WorkloadConfig* rules) const {
    const auto here = [&](const auto& target) { return may_serve(target.provider, tier, rules); };
    const auto weighted = [&](const auto& target) { return target.weight != 0 && here(target); };
    return std::ranges::any_of(model.targets, weighted) ||
           std::ranges::any_of(model.fallback, here);
  }

  // Of the models that the workload may ask for.
  void weights(const std::string& path, const TenantConfig& tenant, const WorkloadConfig& rules) {
    for (const auto& [name, model] : config_.models) {
      const auto names = [&](const std::string& glob) { return policy::Glob(glob).matches(name); };
      if (!rules.models.empty() && std::ranges::none_of(rules.models, names)) continue;
      if (may_use(model, tenant, rules) && !sent(model, tenant.tier, &rules))
        warning(path, fmt::format("requests for {} must name the provider: what may serve them "
                                  "has weight 0",
                                  quoted(name)));
    }
  }

  // False when something was found: what they leave of the models is then nobody's to say.
  bool providers(const std::string& path, const TenantConfig& tenant, const WorkloadConfig& rules) {
    const std::size_t before = findings_.problems.size();
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < rules.providers.size(); ++i) {
      const std::string& name = rules.providers[i];
      const std::string place = path_of(path, i);
      const ProviderConfig* provider = config_.providers.find(name);
      if (provider == nullptr)
        findings_.problems.push_back(unknown_name("provider", name, origins_.nearest(place),
                                                  config_.providers, "providers", origins_));
      else if (!has(provider->tiers, tenant.tier))
        problem(place,
                fmt::format("can never bind: {} serves no {} callers", quoted(name),
                            penstock::name(tenant.tier)),
                "");
      if (!seen.insert(name).second) problem(place, "stands there twice", "");
    }
    return findings_.problems.size() == before;
  }

  void models(const std::string& path, const TenantConfig& tenant, const WorkloadConfig& rules) {
    const std::string list = path_of(path, "models");
    std::set<std::string_view> seen;
    bool found = false;
    for (std::size_t i = 0; i < rules.models.size(); ++i) {
      if (glob(path_of(list, i), rules.models[i], tenant, rules)) found = true;
      if (!seen.insert(rules.models[i]).second) problem(path_of(list, i), "stands there twice", "");
    }
    if (!rules.models.empty() || found || config_.models.empty()) return;
    const auto usable = [&](const auto& entry) { return may_use(entry.value, tenant, rules); };
    if (std::ranges::none_of(config_.models, usable))
      problem(path, "may use no model: providers and tiers bar every one of them", "");
  }

  [[nodiscard]] bool may_use(const ModelConfig& model, const TenantConfig& tenant,
                             const WorkloadConfig& rules) const {
    return has(model.tiers, tenant.tier) && served(model, tenant.tier, &rules);
  }

  // True when something was found.
  bool glob(const std::string& path, const std::string& text, const TenantConfig& tenant,
            const WorkloadConfig& rules) {
    const policy::Glob glob(text);
    bool named = false;
    for (const auto& [name, model] : config_.models) {
      if (!glob.matches(name)) continue;
      named = true;
      if (may_use(model, tenant, rules)) return false;
    }
    for (const auto& [name, provider] : config_.providers) {
      if (!glob.can_match_under(name + "/")) continue;
      named = true;
      if (may_serve(name, tenant.tier, &rules)) return false;
    }
    if (named)
      problem(path,
              fmt::format("can never bind: providers and tiers bar what {} names", quoted(text)),
              "");
    else
      problem(path, fmt::format("matches no model: {}", quoted(text)), near(text));
    return true;
  }

  [[nodiscard]] std::string near(std::string_view text) const {
    std::vector<std::string_view> names;
    for (const auto& entry : config_.models) names.push_back(entry.name);
    const auto best = nearest(text, names);
    return best ? fmt::format("did you mean {}?", quoted(*best)) : "";
  }

  void labels(const std::string& path, const WorkloadConfig& rules) {
    const std::string list = path_of(path, "labels");
    if (rules.label == policy::LabelRule::kRequired && rules.labels.empty())
      problem(path_of(path, "label"), "is required and no label is known: every call is refused",
              "such as labels: [public, internal]");
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < rules.labels.size(); ++i)
      if (!seen.insert(rules.labels[i]).second) problem(path_of(list, i), "stands there twice", "");
  }

  void problem(const std::string& path, std::string_view what, std::string hint) {
    findings_.problems.push_back(
        {origins_.nearest(path), fmt::format("{}: {}", path, what), std::move(hint)});
  }

  void warning(const std::string& path, std::string_view what) {
    findings_.warnings.push_back({origins_.nearest(path), fmt::format("{}: {}", path, what), ""});
  }

  const Config& config_;
  const Origins& origins_;
  Findings& findings_;
};

}  // namespace

void validate_rules(const Config& config, const Origins& origins, Findings& findings) {
  RulesChecker checker(config, origins, findings);
  checker.tiers();
  for (const auto& [name, tenant] : config.tenants) {
    checker.bare_keys(path_of("tenants", name), tenant);
    for (const auto& [workload, rules] : tenant.workloads) {
      const std::string workloads = path_of(path_of("tenants", name), "workloads");
      checker.workload(path_of(workloads, workload), tenant, rules);
      checker.unnamed(path_of(workloads, workload), tenant, workload, rules);
    }
  }
}

}  // namespace penstock::config
