#include "config/compile_rules.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error_code.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/secret.h"
#include "base/secret_ref.h"
#include "config/compile_provider.h"
#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/secrets.h"
#include "config/tenants_config.h"
#include "gateway/snapshot.h"
#include "json/utf8.h"
#include "json/writer.h"

namespace penstock::config {
namespace {

// As the first element of `messages`, with the comma for the next one.
std::string message_of(std::string_view prompt) {
  std::string out;
  json::Writer(out)
      .begin_object()
      .key("role")
      .string("system")
      .key("content")
      .string(prompt)
      .end_object();
  return out + ',';
}

const gateway::Workload* find(const gateway::Snapshot* snapshot, std::string_view tenant,
                              std::string_view workload) {
  if (snapshot == nullptr) return nullptr;
  const gateway::Tenant* found = gateway::find(snapshot->tenants, tenant);
  return found == nullptr ? nullptr : gateway::find(found->workloads, workload);
}

void compile_lists(const WorkloadConfig& config, const gateway::Snapshot& snapshot,
                   gateway::Workload& workload) {
  for (const std::string& glob : config.models) workload.models.emplace_back(glob);
  workload.labels = config.labels;
  if (config.providers.empty()) return;
  workload.providers.assign(snapshot.providers.size(), false);
  for (const std::string& name : config.providers)
    workload.providers[snapshot.provider_index.at(name)] = true;
}

}  // namespace

Result<std::string> read_system_prompt(const SecretRef& reference, const SecretSource& secrets) {
  PENSTOCK_TRY(const Secret prompt, resolve(reference, secrets));
  const std::string& text = prompt.reveal();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(ErrorCode::kInvalidRequest, fmt::format("{} is blank", reference.text));
  if (!json::valid_utf8(text))
    return fail(ErrorCode::kInvalidRequest, fmt::format("{} is not UTF-8", reference.text));
  return text;
}

void check_prompts(const Config& config, const Origins& origins, const SecretSource& secrets,
                   std::vector<Problem>& problems) {
  for (const auto& [name, tenant] : config.tenants)
    for (const auto& [workload, its] : tenant.workloads) {
      if (its.system_prompt.empty() || !resolve(its.system_prompt, secrets)) continue;
      const Result<std::string> prompt = read_system_prompt(its.system_prompt, secrets);
      if (prompt) continue;
      const std::string workloads = path_of(path_of("tenants", name), "workloads");
      const std::string path = path_of(path_of(workloads, workload), "system_prompt");
      problems.push_back(
          {origins.nearest(path), fmt::format("{}: {}", path, prompt.error().message), ""});
    }
}

Result<SystemMessages> read_system_messages(const Config& config, const SecretSource& secrets,
                                            const gateway::Snapshot* before,
                                            Credentials credentials) {
  SystemMessages messages;
  for (const auto& [name, tenant] : config.tenants)
    for (const auto& [workload, its] : tenant.workloads) {
      if (its.system_prompt.empty()) continue;
      std::string& message = messages[{name, workload}];
      if (credentials == Credentials::kKept)
        if (const gateway::Workload* was = find(before, name, workload))
          message = was->system_message;
      if (!message.empty()) continue;
      PENSTOCK_TRY(const std::string prompt, read_system_prompt(its.system_prompt, secrets));
      message = message_of(prompt);
    }
  return messages;
}

void compile_rules(const Config& config, const SystemMessages& messages,
                   gateway::Snapshot& snapshot) {
  for (const auto& [name, tenant] : config.tenants) {
    for (const auto& [workload, its] : tenant.workloads) {
      gateway::Workload& compiled = snapshot.tenants.at(name).workloads.at(workload);
      compile_lists(its, snapshot, compiled);
      compiled.output_tokens_max = its.output_tokens_max;
      compiled.output_over = its.output_over;
      compiled.tools = its.tools;
      compiled.label_rule = its.label;
      if (!its.system_prompt.empty()) compiled.system_message = messages.at({name, workload});
    }
  }
}

}  // namespace penstock::config
