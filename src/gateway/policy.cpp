#include "gateway/policy.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "dialect/openai/output_ceiling.h"
#include "dialect/openai/request.h"
#include "dialect/openai/ruled_members.h"
#include "dialect/surface.h"
#include "fleet/target.h"
#include "gateway/access.h"
#include "gateway/caller_buckets.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"
#include "policy/output_rule.h"
#include "policy/posture.h"
#include "policy/rules_config.h"
#include "telemetry/labels.h"
#include "wire/header_list.h"

namespace penstock::gateway {
namespace {

using telemetry::PolicyRule;
using telemetry::Ruling;

void count(RequestScope& scope, PolicyRule rule, Ruling ruling) {
  scope.worker.metrics.policy_rulings.at(rule, ruling).add();
}

// rule: as the config names it.
std::unexpected<Error> refused(RequestScope& scope, PolicyRule counted, std::string_view rule,
                               Error error) {
  count(scope, counted, Ruling::kRefused);
  scope.rejected_at = telemetry::RejectionStage::kPolicy;
  scope.refused_by = rule;
  return fail(std::move(error));
}

Error named(ErrorCode code, std::string_view param, std::string message = "") {
  Error error(code, std::move(message));
  error.param = param;
  return error;
}

// Several lines are no label, whatever they say: others could read another one of them.
Result<void> judge_label(RequestScope& scope, const Workload& workload) {
  const bool required = workload.label_rule == policy::LabelRule::kRequired;
  if (!required && workload.labels.empty()) return {};
  const wire::HeaderList& headers = scope.exchange.head().headers;
  constexpr std::string_view kName = "x-penstock-label";
  const std::size_t lines = headers.count(kName);
  const std::string_view label = headers.find(kName).value_or(std::string_view());
  const bool known = std::ranges::find(workload.labels, label) != workload.labels.end();
  if (lines == 0 ? required : lines > 1 || !known)
    return refused(scope, PolicyRule::kLabel, "label", named(ErrorCode::kLabelRequired, kName));
  count(scope, PolicyRule::kLabel, Ruling::kPassed);
  return {};
}

// What a provider could take for something else than we did is nobody's to pass on.
Result<void> judge_readable(RequestScope& scope, const Workload* workload) {
  const dialect::openai::RuledMembers& said = scope.request.ruled;
  const bool models = !said.respelled.empty() || !said.other_models.empty();
  const Barred some = models ? access_of(scope).anything() : Barred::kNo;
  const bool held = limited(scope.caller, Metered::kTokens).count != 0;
  const bool ruled = workload != nullptr || held || scope.principal.tier == Tier::kExternal;
  const auto unclear = [&](std::string_view member, std::string_view why) {
    return refused(scope, PolicyRule::kReadable, "readable",
                   named(policy::refusal_code(policy::Failure::kRuleUnreadable), member,
                         fmt::format("`{}` {}.", member, why)));
  };
  if (!said.respelled.empty() && (ruled || some != Barred::kNo))
    return unclear(said.respelled, "must be spelled in lower case, for providers may ignore case");
  if (!said.other_models.empty() && some != Barred::kNo)
    return refused(scope, PolicyRule::kAccess, name(some),
                   named(ErrorCode::kModelNotAllowed, said.other_models,
                         fmt::format("`{}` is not taken from this key, which may not go "
                                     "everywhere: it chooses models or providers.",
                                     said.other_models)));
  const bool counted = held && dialect::streams(scope.surface) &&
                       !(workload != nullptr && workload->output_tokens_max);
  if (counted) {  // else the rule about output reads more strictly
    const std::string_view member = dialect::openai::unreadable_count(said);
    if (member == said.counted_twice && !member.empty())
      return unclear(member, "must not be given twice");
    if (!member.empty()) return unclear(member, "must be a whole number");
  }
  if (workload == nullptr) return {};
  const bool counts = workload->output_tokens_max || workload->tools == policy::Tools::kDeny;
  if (counts && !said.twice.empty()) return unclear(said.twice, "must not be given twice");
  if (workload->output_tokens_max && !said.other_ceiling.empty())
    return unclear(said.other_ceiling, "is not taken here: say `max_completion_tokens`");
  return {};
}

Result<void> judge_tools(RequestScope& scope, const Workload& workload) {
  if (workload.tools == policy::Tools::kAllow) return {};
  const std::size_t messages_at = scope.request.messages_at;
  std::string_view member = scope.request.ruled.tools;
  if (member.empty() && messages_at != 0 &&
      dialect::openai::messages_hand_tools(scope.request.body.substr(messages_at - 1)))
    member = "messages";
  if (!member.empty())
    return refused(scope, PolicyRule::kTools, "tools", named(ErrorCode::kToolsNotAllowed, member));
  count(scope, PolicyRule::kTools, Ruling::kPassed);
  return {};
}

Result<void> hold_output(RequestScope& scope, const Workload& workload) {
  if (!workload.output_tokens_max || !dialect::streams(scope.surface)) return {};
  const dialect::openai::RuledMembers& said = scope.request.ruled;
  const policy::OutputAsked asked{
      .max_tokens = said.max_tokens,
      .max_completion_tokens = said.max_completion_tokens,
      .n = said.n,
      .best_of = said.best_of,
      .prompts = scope.surface == dialect::Surface::kCompletions ? said.prompts : 1};
  Result<policy::OutputHold> hold =
      policy::hold_output(asked, *workload.output_tokens_max, workload.output_over);
  if (!hold)
    return refused(scope, PolicyRule::kOutput, "output_tokens_max", std::move(hold).error());
  scope.imposed.output_each = hold->each;
  scope.imposed.output_unsaid = hold->unsaid;
  scope.output_held = hold->total;
  scope.clamped = hold->clamped;
  count(scope, PolicyRule::kOutput, hold->clamped.empty() ? Ruling::kPassed : Ruling::kChanged);
  return {};
}

// Where it has no place the request does not go out without it. Embeddings follow no instructions.
Result<void> put_system_message(RequestScope& scope, const Workload& workload) {
  if (workload.system_message.empty() || scope.surface == dialect::Surface::kEmbeddings) return {};
  const bool chat = scope.surface == dialect::Surface::kChat;
  const ErrorCode code = policy::refusal_code(policy::Failure::kSystemPromptNoPlace);
  if (!chat || scope.request.messages_at == 0)
    return refused(scope, PolicyRule::kSystemPrompt, "system_prompt",
                   chat ? named(code, "messages", "`messages` must be a list.")
                        : named(code, "",
                                "This workload's system prompt has no place here: use "
                                "/v1/chat/completions."));
  if (const std::string_view member = scope.request.ruled.other_template; !member.empty())
    return refused(scope, PolicyRule::kSystemPrompt, "system_prompt",
                   named(code, member,
                         fmt::format("`{}` is not taken here: it may leave this workload's system "
                                     "prompt out.",
                                     member)));
  scope.imposed.first_message = workload.system_message;
  count(scope, PolicyRule::kSystemPrompt, Ruling::kChanged);
  return {};
}

// Of `provider/model`: by its name, and by the models that lead to the same place.
Barred judge_name(const Route& route, std::string_view asked, const Access& access) {
  const Barred by_name = access.asked(asked);
  if (by_name != Barred::kNo || route.targets().empty()) return by_name;
  const fleet::Target& target = route.targets().front();
  return access.place(target.provider, target.model);
}

}  // namespace

std::optional<RouteRefusal> judge_route(Route& route, std::string_view asked,
                                        const Access& access) {
  const Barred model = route.model != nullptr ? access.model(*route.model, route.chosen_by)
                                              : judge_name(route, asked, access);
  if (model != Barred::kNo) return RouteRefusal{named(ErrorCode::kModelNotAllowed, "model"), model};
  if (route.chosen_by == Route::ChosenBy::kClient && !route.targets().empty()) {
    // All of them are at the one provider that was asked for.
    const Barred provider = access.provider(route.targets().front().provider);
    if (provider != Barred::kNo)
      return RouteRefusal{named(ErrorCode::kProviderNotAllowed,
                                route.model != nullptr ? "x-penstock-provider" : "model"),
                          provider};
  }
  keep_allowed(route, access);
  return std::nullopt;
}

Result<void> judge_model(RequestScope& scope) {
  const Barred barred = access_of(scope).model(*scope.route.model);
  if (barred == Barred::kNo) return {};
  return refused(scope, PolicyRule::kAccess, name(barred),
                 named(ErrorCode::kModelNotAllowed, "model"));
}

Result<void> judge_policy(RequestScope& scope) {
  const Workload* workload = scope.caller.workload;
  if (workload != nullptr) {
    PENSTOCK_CHECK(judge_label(scope, *workload));
  }
  std::optional<RouteRefusal> closed =
      judge_route(scope.route, scope.request.model, access_of(scope));
  if (closed)
    return refused(scope, PolicyRule::kAccess, name(closed->by), std::move(closed->error));
  count(scope, PolicyRule::kAccess, Ruling::kPassed);
  PENSTOCK_CHECK(judge_readable(scope, workload));
  if (workload != nullptr) {
    PENSTOCK_CHECK(judge_tools(scope, *workload));
    PENSTOCK_CHECK(hold_output(scope, *workload));
    PENSTOCK_CHECK(put_system_message(scope, *workload));
  }
  return {};
}

}  // namespace penstock::gateway
