#include "config/compile.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/label.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/units.h"
#include "config/compile_provider.h"
#include "config/compile_rules.h"
#include "config/compile_tenants.h"
#include "config/config.h"
#include "config/models_config.h"
#include "config/tiers_config.h"
#include "control/retry_plan.h"
#include "fleet/provider.h"
#include "fleet/target.h"
#include "gateway/snapshot.h"

namespace penstock::config {
namespace {

void compile_models(const Config& config, LabelNames& labels, gateway::Snapshot& snapshot) {
  for (const auto& [name, model] : config.models) {
    gateway::Model& compiled = snapshot.models[name];
    compiled.name = name;
    compiled.label = labels.intern(name);
    compiled.deadline = model.deadline;
    compiled.tiers = compile_tiers(model.tiers);
    for (const TargetConfig& target : model.targets)
      compiled.targets.push_back({.provider = snapshot.provider_index.at(target.provider),
                                  .model = target.model,
                                  .weight = target.weight});
    for (const FallbackConfig& target : model.fallback)
      compiled.targets.push_back({.provider = snapshot.provider_index.at(target.provider),
                                  .model = target.model,
                                  .role = control::TargetRole::kFallback});
    for (const fleet::Target& target : compiled.targets) compiled.plan.push_back(target.planned());
    snapshot.model_names.push_back(name);
  }
}

}  // namespace

Result<std::shared_ptr<const gateway::Snapshot>> compile(const Config& config,
                                                         const SecretSource& secrets,
                                                         LabelNames& labels, WallTime now,
                                                         const gateway::Snapshot* before,
                                                         Credentials credentials) {
  auto snapshot = std::make_shared<gateway::Snapshot>();
  snapshot->auth = config.auth.mode;
  for (const auto& [name, provider] : config.providers) {
    PENSTOCK_TRY(
        fleet::Provider compiled,
        compile_provider(name, provider, secrets, labels,
                         before != nullptr ? before->find_provider(name) : nullptr, credentials));
    snapshot->provider_index[name] = snapshot->providers.size();
    snapshot->providers.push_back(std::move(compiled));
  }
  compile_models(config, labels, *snapshot);
  PENSTOCK_CHECK(compile_tenants(config, labels, before, *snapshot));
  PENSTOCK_CHECK(compile_rules(config, secrets, before, credentials, *snapshot));
  snapshot->limits = config.limits;
  snapshot->admission = config.admission;
  snapshot->retry = config.retry;
  snapshot->stream = config.stream;
  snapshot->body_wait = config.listen.body_wait;
  snapshot->created =
      before != nullptr ? before->created
                        : std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  return std::shared_ptr<const gateway::Snapshot>(std::move(snapshot));
}

}  // namespace penstock::config
