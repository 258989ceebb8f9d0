#include "gateway/redaction.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "dialect/openai/request.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "policy/json_redactor.h"
#include "policy/posture.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"
#include "runtime/task.h"
#include "telemetry/labels.h"
#include "wire/header_list.h"

namespace penstock::gateway {
namespace {

using policy::Direction;

telemetry::RedactedIn label_of(Direction direction) noexcept {
  return direction == Direction::kRequest ? telemetry::RedactedIn::kRequest
                                          : telemetry::RedactedIn::kResponse;
}

// Say something of the bytes as the provider wrote them.
constexpr auto kOfTheBytes = std::to_array<std::string_view>(
    {"content-encoding", "content-md5", "content-digest", "repr-digest", "digest", "etag"});

// Have a form of their own, in which no identifier has a place, though digits may look like one.
constexpr auto kFixedForm =
    std::to_array<std::string_view>({"accept", "accept-encoding", "accept-language",
                                     "cache-control", "content-language", "content-type", "date"});

// As W3C's Trace Context writes it: hexadecimal digits in four parts.
bool is_trace_parent(const wire::Header& field) noexcept {
  constexpr std::size_t kSize = 55;
  if (!wire::equals_ignore_case(field.name, "traceparent") || field.value.size() != kSize)
    return false;
  for (std::size_t i = 0; i < kSize; ++i) {
    const char byte = field.value[i];
    const bool mark = i == 2 || i == 35 || i == 52;
    const bool hex = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
    if (mark ? byte != '-' : !hex) return false;
  }
  return true;
}

Error blocked_request(std::string_view kind) {
  return Error(ErrorCode::kContentBlocked,
               fmt::format("The request holds what this workload must not send: {}.", kind));
}

// The kind found in a model's name that is none of ours: it cannot be masked. Whether there is one
// is known already: the logs were not to tell it.
std::optional<std::size_t> found_in_name(RequestScope& scope, const WorkloadRedaction& redaction) {
  if (!scope.told_model) return std::nullopt;
  policy::Tally tally{};
  std::string ignored;
  const std::optional<std::size_t> found = policy::mask_text(
      redaction.redactor, policy::Writing::kPlain, scope.request.model, tally, ignored);
  count_redactions(scope, redaction, Direction::kRequest, tally);
  return found;
}

// The masked body stands for the client's own from here on, whose memory is given back: the request
// is read anew, and the route has copies of what it needs.
Result<void> take_masked(RequestScope& scope, RedactedBody body) {
  scope.masked_memory = std::move(body.memory);
  scope.masked_body = *std::move(body.document.masked);
  PENSTOCK_TRY(scope.request, dialect::openai::read_request(scope.masked_body, scope.surface));
  scope.body = scope.masked_body;
  scope.exchange.drop_body();
  return {};
}

Result<void> take_request(RequestScope& scope, const WorkloadRedaction& redaction,
                          RedactedBody body) {
  const policy::Redactor& redactor = redaction.redactor;
  const std::optional<std::size_t> named = found_in_name(scope, redaction);
  if (!body.document.well_formed)
    return fail(
        not_redacted(scope, Direction::kRequest, "The request could not be looked through."));
  if (named) return fail(blocked_request(redactor.name(*named)));
  if (body.document.found && redactor.action() == policy::RedactAction::kBlock)
    return fail(blocked_request(redactor.name(*body.document.found)));
  if (!body.document.masked) return {};
  return take_masked(scope, std::move(body));
}

}  // namespace

const WorkloadRedaction* redaction_of(const RequestScope& scope, Direction direction) noexcept {
  if (scope.caller.workload == nullptr) return nullptr;
  const WorkloadRedaction* const redaction = scope.caller.workload->redaction.get();
  return redaction != nullptr && redaction->redactor.on(direction) ? redaction : nullptr;
}

Result<RedactTurn> redact_request(RequestScope& scope) {
  const WorkloadRedaction* const redaction = redaction_of(scope, Direction::kRequest);
  if (redaction == nullptr) return RedactTurn::kDone;
  if (scope.body.size() > kAtOnceBytes) return RedactTurn::kLong;
  PENSTOCK_TRY(RedactedBody body, redact_body(scope, *redaction, Direction::kRequest, scope.body));
  PENSTOCK_CHECK(take_request(scope, *redaction, std::move(body)));
  return RedactTurn::kDone;
}

runtime::Task<Result<void>> redact_long_request(RequestScope& scope) {
  const WorkloadRedaction& redaction = *redaction_of(scope, Direction::kRequest);
  PENSTOCK_CO_TRY(RedactedBody body,
                  co_await redact_long_body(scope, redaction, Direction::kRequest, scope.body));
  co_return take_request(scope, redaction, std::move(body));
}

Result<std::optional<std::string>> masked_reply(const WorkloadRedaction& redaction,
                                                policy::RedactedDocument reply) {
  if (!reply.well_formed)
    return fail(ErrorCode::kUpstreamBadResponse, "The provider's reply is not a JSON object.");
  if (reply.found && redaction.redactor.action() == policy::RedactAction::kBlock)
    return fail(blocked_reply(redaction.redactor.name(*reply.found)));
  return std::move(reply.masked);
}

bool withholds(const RequestScope& scope, Direction direction, const wire::Header& field) {
  const WorkloadRedaction* const redaction = redaction_of(scope, direction);
  if (redaction == nullptr) return false;
  if (direction == Direction::kResponse && wire::is_one_of(field.name, kOfTheBytes)) return true;
  if (wire::is_one_of(field.name, kFixedForm) || is_trace_parent(field)) return false;
  policy::Tally tally{};
  std::string masked;
  const bool found =
      policy::mask_text(redaction->redactor, policy::Writing::kPlain, field.value, tally, masked)
          .has_value();
  // A request's fields are looked at for each attempt, and counted for the first.
  const bool again = direction == Direction::kRequest && scope.attempts > 1;
  if (found && !again) count_redactions(scope, *redaction, direction, tally);
  return found;
}

Error blocked_reply(std::string_view kind) {
  return Error(ErrorCode::kContentBlocked,
               fmt::format("The reply holds what this workload must not receive: {}.", kind));
}

Error not_redacted(RequestScope& scope, Direction direction, std::string_view why) {
  scope.worker.metrics.redaction_failures.at(label_of(direction)).add();
  return Error(policy::refusal_code(policy::Failure::kRedactorFailed), std::string(why));
}

void count_redactions(const RequestScope& scope, const WorkloadRedaction& redaction,
                      Direction direction, const policy::Tally& tally) noexcept {
  for (std::size_t i = 0; i < redaction.kinds.size(); ++i)
    if (tally[i] != 0)
      scope.worker.metrics.redactions.at(redaction.kinds[i], label_of(direction)).add(tally[i]);
}

}  // namespace penstock::gateway
