#include "gateway/redaction.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/byte_budget.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "dialect/openai/request.h"
#include "gateway/passed_fields.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "policy/json_redactor.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"
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

Error blocked_request(std::string_view kind) {
  return Error(ErrorCode::kContentBlocked,
               fmt::format("The request holds what this workload must not send: {}.", kind));
}

// The first kind found in what cannot be masked: headers that would be passed on, and a model's
// name that is none of ours.
std::optional<std::size_t> found_beside_body(const RequestScope& scope,
                                             const WorkloadRedaction& redaction,
                                             policy::Tally& tally) {
  std::string ignored;
  const auto look = [&](std::string_view text) {
    return policy::mask_text(redaction.redactor, policy::Writing::kPlain, text, tally, ignored);
  };
  if (scope.route.model == nullptr)
    if (const auto found = look(scope.request.model)) return found;
  if (redaction.redactor.action() != policy::RedactAction::kBlock) return std::nullopt;
  const wire::HeaderList& fields = scope.exchange.head().headers;
  const PassedFields passed(fields);
  for (const wire::Header& field : fields) {
    if (!passed.end_to_end(field.name) || is_private(field.name)) continue;
    if (const auto found = look(field.value)) return found;
  }
  return std::nullopt;
}

// The masked body stands for the client's own from here on.
Result<void> take_masked(RequestScope& scope, std::string masked) {
  std::optional<ByteLease> memory = scope.worker.process.body_memory.take(Bytes{masked.size()});
  if (!memory) return fail(ErrorCode::kOverloaded, "The memory for bodies is full.");
  scope.masked_memory = *std::move(memory);
  scope.masked_body = std::move(masked);
  scope.body = scope.masked_body;
  PENSTOCK_TRY(scope.request, dialect::openai::read_request(scope.body, scope.surface));
  return {};
}

}  // namespace

const WorkloadRedaction* redaction_of(const RequestScope& scope, Direction direction) noexcept {
  if (scope.caller.workload == nullptr) return nullptr;
  const WorkloadRedaction* const redaction = scope.caller.workload->redaction.get();
  return redaction != nullptr && redaction->redactor.on(direction) ? redaction : nullptr;
}

Result<void> redact_request(RequestScope& scope) {
  const WorkloadRedaction* const redaction = redaction_of(scope, Direction::kRequest);
  if (redaction == nullptr) return {};
  const policy::Redactor& redactor = redaction->redactor;
  policy::Tally tally{};
  policy::RedactedDocument body =
      redact_document(redactor, policy::Document::kRequest, scope.body, tally);
  const std::optional<std::size_t> beside = found_beside_body(scope, *redaction, tally);
  count_redactions(scope, *redaction, Direction::kRequest, tally);
  if (!body.well_formed)
    return fail(
        not_redacted(scope, Direction::kRequest, "The request could not be looked through."));
  if (beside) return fail(blocked_request(redactor.name(*beside)));
  if (body.found && redactor.action() == policy::RedactAction::kBlock)
    return fail(blocked_request(redactor.name(*body.found)));
  if (!body.masked) return {};
  return take_masked(scope, *std::move(body.masked));
}

Result<std::optional<std::string>> redact_reply(RequestScope& scope,
                                                const WorkloadRedaction& redaction,
                                                std::string_view body) {
  policy::Tally tally{};
  policy::RedactedDocument reply =
      redact_document(redaction.redactor, policy::Document::kReply, body, tally);
  count_redactions(scope, redaction, Direction::kResponse, tally);
  if (!reply.well_formed)
    return fail(ErrorCode::kUpstreamBadResponse, "The provider's reply is not a JSON object.");
  if (reply.found && redaction.redactor.action() == policy::RedactAction::kBlock)
    return fail(blocked_reply(redaction.redactor.name(*reply.found)));
  return std::move(reply.masked);
}

std::optional<std::string> redact_error(RequestScope& scope, const WorkloadRedaction& redaction,
                                        std::string_view body) {
  policy::Tally tally{};
  policy::RedactedDocument error =
      redact_document(redaction.redactor, policy::Document::kReply, body, tally);
  count_redactions(scope, redaction, Direction::kResponse, tally);
  if (!error.well_formed) return std::nullopt;
  return error.masked ? *std::move(error.masked) : std::string(body);
}

bool withholds(const RequestScope& scope, Direction direction, const wire::Header& field) {
  const WorkloadRedaction* const redaction = redaction_of(scope, direction);
  if (redaction == nullptr) return false;
  const bool of_the_bytes = direction == Direction::kResponse &&
                            std::ranges::any_of(kOfTheBytes, [&field](std::string_view name) {
                              return wire::equals_ignore_case(field.name, name);
                            });
  if (of_the_bytes) return true;
  policy::Tally ignored{};
  std::string masked;
  return policy::mask_text(redaction->redactor, policy::Writing::kPlain, field.value, ignored,
                           masked)
      .has_value();
}

Error blocked_reply(std::string_view kind) {
  return Error(ErrorCode::kContentBlocked,
               fmt::format("The reply holds what this workload must not receive: {}.", kind));
}

Error not_redacted(RequestScope& scope, Direction direction, std::string_view why) {
  scope.worker.metrics.redaction_failures.at(label_of(direction)).add();
  return Error(ErrorCode::kRedactionUnavailable, std::string(why));
}

void count_redactions(RequestScope& scope, const WorkloadRedaction& redaction, Direction direction,
                      const policy::Tally& tally) noexcept {
  for (std::size_t i = 0; i < redaction.kinds.size(); ++i)
    if (tally[i] != 0)
      scope.worker.metrics.redactions.at(redaction.kinds[i], label_of(direction)).add(tally[i]);
}

}  // namespace penstock::gateway
