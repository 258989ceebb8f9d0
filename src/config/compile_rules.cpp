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

// The text that was read, if it is one.
Result<std::string> prompt_of(const SecretRef& reference, const Secret& read) {
  const std::string& text = read.reveal();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(ErrorCode::kInvalidRequest, fmt::format("{} is blank", reference.text));
  if (!json::valid_utf8(text))
    return fail(ErrorCode::kInvalidRequest, fmt::format("{} is not UTF-8", reference.text));
  return text;
}

// What stands for the prompt in requests: as it was read last, or read now.
Result<std::string> system_message(const SecretRef& reference, const SecretSource& secrets,
                                   const gateway::Workload* before, Credentials credentials) {
  if (reference.empty()) return std::string();
  if (before != nullptr && credentials == Credentials::kKept && !before->system_message.empty())
    return before->system_message;
  PENSTOCK_TRY(const std::string prompt, read_system_prompt(reference, secrets));
  return message_of(prompt);
}

}  // namespace

Result<std::string> read_system_prompt(const SecretRef& reference, const SecretSource& secrets) {
  PENSTOCK_TRY(const Secret prompt, resolve(reference, secrets));
  return prompt_of(reference, prompt);
}

void check_prompts(const Config& config, const Origins& origins, const SecretSource& secrets,
                   std::vector<Problem>& problems) {
  for (const auto& [name, tenant] : config.tenants)
    for (const auto& [workload, its] : tenant.workloads) {
      if (its.system_prompt.empty()) continue;
      const Result<Secret> read = resolve(its.system_prompt, secrets);
      if (!read) continue;
      const Result<std::string> prompt = prompt_of(its.system_prompt, *read);
      if (prompt) continue;
      const std::string workloads = path_of(path_of("tenants", name), "workloads");
      const std::string path = path_of(path_of(workloads, workload), "system_prompt");
      problems.push_back(
          {origins.nearest(path), fmt::format("{}: {}", path, prompt.error().message), ""});
    }
}

Result<void> compile_rules(const Config& config, const SecretSource& secrets,
                           const gateway::Snapshot* before, Credentials credentials,
                           gateway::Snapshot& snapshot) {
  for (const auto& [name, tenant] : config.tenants) {
    for (const auto& [workload, its] : tenant.workloads) {
      gateway::Workload& compiled = snapshot.tenants.at(name).workloads.at(workload);
      compile_lists(its, snapshot, compiled);
      compiled.output_tokens_max = its.output_tokens_max;
      compiled.output_over = its.output_over;
      compiled.tools = its.tools;
      compiled.label_rule = its.label;
      PENSTOCK_TRY(
          compiled.system_message,
          system_message(its.system_prompt, secrets, find(before, name, workload), credentials));
    }
  }
  return {};
}

}  // namespace penstock::config
