#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "policy/redact_config.h"
#include "policy/stream_redactor.h"
#include "wire/header_list.h"

// Personal data and secrets in requests and replies. What cannot be looked through does not pass:
// docs/reference/redaction.md says where that is.
namespace penstock::gateway {

// What is looked for in that direction for this caller; null: nothing.
[[nodiscard]] const WorkloadRedaction* redaction_of(const RequestScope& scope,
                                                    policy::Direction direction) noexcept;

// Masks the request's body, which is read anew then, or refuses the request.
//
// errors: kContentBlocked, naming the kind and not the identifier, where the rule is to block or
// the
//         place cannot be masked (a header, a model's name that is none of ours);
//         kRedactionUnavailable; kOverloaded when the memory for bodies is full.
[[nodiscard]] Result<void> redact_request(RequestScope& scope);

// A provider's reply, whole: masked, or nullopt where it may pass as it is.
//
// errors: kContentBlocked; kUpstreamBadResponse when it is no JSON document in UTF-8.
[[nodiscard]] Result<std::optional<std::string>> redact_reply(RequestScope& scope,
                                                              const WorkloadRedaction& redaction,
                                                              std::string_view body);

// A provider's error reply, whole, masked whatever the action is: what a failure says is nothing
// that a model said. nullopt when it is no JSON document: then none of it may pass.
[[nodiscard]] std::optional<std::string> redact_error(RequestScope& scope,
                                                      const WorkloadRedaction& redaction,
                                                      std::string_view body);

// Whether a header's value holds an identifier, or belongs to the bytes that masking changes: such
// a field does not pass.
[[nodiscard]] bool withholds(const RequestScope& scope, policy::Direction direction,
                             const wire::Header& field);

// What a client is told of a reply that must not reach it.
[[nodiscard]] Error blocked_reply(std::string_view kind);
// Counts a reply or request that could not be looked through; the error for it.
[[nodiscard]] Error not_redacted(RequestScope& scope, policy::Direction direction,
                                 std::string_view why);
// Counts what was found.
void count_redactions(RequestScope& scope, const WorkloadRedaction& redaction,
                      policy::Direction direction, const policy::Tally& tally) noexcept;

}  // namespace penstock::gateway
