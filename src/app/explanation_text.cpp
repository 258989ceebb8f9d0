// An explanation as people and programs read it.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/explanation.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/quantity_text.h"
#include "config/values.h"
#include "control/retry_plan.h"
#include "json/writer.h"

namespace penstock::app {
namespace {

std::string_view or_none(std::string_view text) { return text.empty() ? "none" : text; }

void list(std::string& out, std::string_view head, const std::vector<config::Value>& values) {
  out += fmt::format("{}\n", head);
  for (const config::Value& value : values)
    out += fmt::format("  {}: {}\n", value.path, value.text.value_or(""));
}

void refusal(std::string& out, const Error& error) {
  const ErrorInfo& row = info(error.code);
  out += fmt::format("refused: {} {}: {}", error.http_status(), row.name,
                     error.message.empty() ? row.message : std::string_view(error.message));
  if (!error.hint.empty()) out += fmt::format(" {}", error.hint);
  out += '\n';
}

void target_lines(std::string& out, const ExplainedTarget& target, int fallback) {
  if (target.role == control::TargetRole::kWeighted)
    out += fmt::format("  {:.4g}% {} as {}\n", target.share * 100, target.provider, target.model);
  else
    out += fmt::format("  fallback {}: {} as {}\n", fallback, target.provider, target.model);
  if (!target.barred.empty()) out += fmt::format("    barred: {}\n", target.barred);
  out += fmt::format("    balance: {}\n", target.balance);
  for (const config::Value& value : target.settings)
    out += fmt::format("    {}: {}\n", value.path, value.text.value_or(""));
  for (const ExplainedReplica& replica : target.replicas)
    out += fmt::format("    {} {} (weight {}): {}\n", replica.in ? "in " : "out", replica.url,
                       replica.weight, replica.why);
}

void values_json(json::Writer& json, std::string_view key,
                 const std::vector<config::Value>& values) {
  json.key(key).begin_object();
  for (const config::Value& value : values) json.key(value.path).string(value.text.value_or(""));
  json.end_object();
}

void name_json(json::Writer& json, std::string_view key, std::string_view name) {
  json.key(key);
  if (name.empty())
    json.null();
  else
    json.string(name);
}

void target_json(json::Writer& json, const ExplainedTarget& target) {
  const bool weighted = target.role == control::TargetRole::kWeighted;
  json.begin_object().key("role").string(weighted ? "target" : "fallback");
  json.key("provider").string(target.provider).key("model").string(target.model);
  json.key("share").number(target.share).key("balance").string(target.balance);
  name_json(json, "barred", target.barred);
  values_json(json, "settings", target.settings);
  json.key("replicas").begin_array();
  for (const ExplainedReplica& replica : target.replicas) {
    json.begin_object().key("url").string(replica.url).key("weight").integer(replica.weight);
    json.key("in").boolean(replica.in).key("why").string(replica.why).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string text_of(const Explanation& explanation, const Question& question) {
  std::string out = fmt::format("request\n  model: {}\n", question.model);
  if (question.provider) out += fmt::format("  provider: {}\n", *question.provider);
  out += fmt::format("  stream: {}\n", question.stream ? "yes" : "no");
  if (!explanation.tier.empty()) {
    out += fmt::format("principal\n  tenant: {}\n  workload: {}\n  key id: {}\n  tier: {}\n",
                       or_none(explanation.tenant), or_none(explanation.workload),
                       or_none(explanation.key_id), explanation.tier);
    list(out, "limits", explanation.limits);
    out += "rules\n";
    for (const ExplainedRule& rule : explanation.rules)
      out += fmt::format("  {}: {}\n", rule.rule, rule.verdict);
  }
  if (!explanation.targets.empty()) {
    out += fmt::format("deadline: {}\n", duration_text(explanation.deadline));
    list(out, "retry", explanation.retry);
    out += explanation.named ? "route, asked for by name and never replaced\n" : "route\n";
    int fallback = 0;
    for (const ExplainedTarget& target : explanation.targets)
      target_lines(out, target, target.role == control::TargetRole::kFallback ? ++fallback : 0);
  }
  if (explanation.refused) refusal(out, *explanation.refused);
  return out;
}

std::string json_of(const Explanation& explanation, const Question& question) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("model").string(question.model).key("stream").boolean(question.stream);
  name_json(json, "provider", question.provider.value_or(""));
  json.key("principal").begin_object();
  name_json(json, "tenant", explanation.tenant);
  name_json(json, "workload", explanation.workload);
  name_json(json, "key_id", explanation.key_id);
  name_json(json, "tier", explanation.tier);
  json.end_object();
  values_json(json, "limits", explanation.limits);
  json.key("rules").begin_array();
  for (const ExplainedRule& rule : explanation.rules)
    json.begin_object()
        .key("rule")
        .string(rule.rule)
        .key("verdict")
        .string(rule.verdict)
        .end_object();
  json.end_array();
  values_json(json, "retry", explanation.retry);
  name_json(json, "deadline",
            explanation.targets.empty() ? "" : duration_text(explanation.deadline));
  json.key("explicit").boolean(explanation.named).key("route").begin_array();
  for (const ExplainedTarget& target : explanation.targets) target_json(json, target);
  json.end_array().key("refused");
  if (explanation.refused) {
    const Error& error = *explanation.refused;
    json.begin_object().key("code").string(info(error.code).name);
    json.key("status").integer(error.http_status());
    name_json(json, "message", error.message.empty() ? info(error.code).message : error.message);
    name_json(json, "hint", error.hint);
    json.end_object();
  } else {
    json.null();
  }
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace penstock::app
