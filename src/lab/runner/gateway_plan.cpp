#include "lab/runner/gateway_plan.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "crypto/hex.h"
#include "crypto/sha256.h"

namespace penstock::lab {

GatewayPlan one_provider(std::vector<std::string> replicas, std::string more) {
  GatewayPlan plan;
  plan.providers.push_back(
      {.name = "stable", .replicas = std::move(replicas), .more = std::move(more)});
  plan.models.push_back(
      {.name = "chat", .targets = "{ provider: stable, model: mock }", .more = {}});
  return plan;
}

std::string config_text(const GatewayPlan& plan, const std::string& access_log) {
  std::string out = fmt::format(
      "version: 1\nworkers: {}\nlisten: {{ data: 127.0.0.1:{}, admin: 127.0.0.1:{} }}\n"
      "auth: {{ mode: {} }}\ntelemetry: {{ access_log: 'file:{}' }}\nproviders:\n",
      plan.workers, plan.data_port, plan.admin_port, plan.tenants.empty() ? "dev" : "keys",
      access_log);
  const auto to = std::back_inserter(out);
  for (const ProviderPlan& provider : plan.providers)
    fmt::format_to(to, "  {}: {{ dialect: openai, replicas: [ {} ]{}{} }}\n", provider.name,
                   fmt::join(provider.replicas, ", "), provider.more.empty() ? "" : ", ",
                   provider.more);
  out += "models:\n";
  for (const ModelPlan& model : plan.models)
    fmt::format_to(to, "  {}: {{ targets: [ {} ]{}{} }}\n", model.name, model.targets,
                   model.more.empty() ? "" : ", ", model.more);
  bool drains = false;
  for (const std::string& section : plan.sections) {
    drains = drains || section.starts_with("drain:");
    out += section + '\n';
  }
  if (!drains) out += "drain: { settle: 0s, timeout: 1s }\n";
  if (!plan.tenants.empty()) out += "tenants:\n" + plan.tenants;
  return out;
}

std::string tenant_text(const std::string& name, const std::string& key,
                        const std::string& limits) {
  return fmt::format(
      "  {}:\n{}    keys: [ {{ id: {}-1, sha256: {}, workload: main }} ]\n"
      "    workloads: {{ main: {{}} }}\n",
      name, limits.empty() ? std::string() : fmt::format("    limits: {}\n", limits), name,
      crypto::hex_encode(crypto::sha256(key)));
}

}  // namespace penstock::lab
