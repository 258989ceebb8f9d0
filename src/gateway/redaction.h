#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_budget.h"
#include "base/error.h"
#include "base/result.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "policy/json_redactor.h"
#include "policy/redact_config.h"
#include "policy/stream_redactor.h"
#include "runtime/task.h"
#include "wire/header_list.h"

// Personal data and secrets in requests and replies. What cannot be looked through does not pass:
// docs/reference/redaction.md says where that is.
namespace penstock::gateway {

// What is looked for in that direction for this caller; null: nothing.
[[nodiscard]] const WorkloadRedaction* redaction_of(const RequestScope& scope,
                                                    policy::Direction direction) noexcept;

// Whether a body was looked through, or is so long that it must not be at once: then whatever is
// named in its place is to be awaited.
enum class RedactTurn : std::uint8_t { kDone, kLong };

// A body up to here is looked through at once, which takes about a millisecond at worst; a longer
// one in slices with a turn of the loop between them, so that other requests do not wait for it.
inline constexpr std::size_t kAtOnceBytes = std::size_t{64} << 10;

// Masks the request's body, which is read anew then and gives its first memory back, or refuses the
// request. kLong: redact_long_request() is to be awaited.
//
// errors: kContentBlocked, naming the kind and not the identifier, where the rule is to block or a
//         model's name that is none of ours holds one; kRedactionUnavailable; kOverloaded when the
//         memory for bodies is full.
[[nodiscard]] Result<RedactTurn> redact_request(RequestScope& scope);
// errors: those, and kDraining or kDeadlineExceeded when told to stop before the end.
[[nodiscard]] runtime::Task<Result<void>> redact_long_request(RequestScope& scope);

// What became of a body that was looked through, and the charge for it.
struct RedactedBody {
  policy::RedactedDocument document;
  ByteLease memory;  // of the bound that bodies share: at least the bytes of the masked copy
};

// Looks through a body at once, or in slices. What it needs is charged before it is used; what is
// found is counted, also where this fails.
//
// errors: kOverloaded; of the second also kRedactionUnavailable for a body with more identifiers
//         than 262,144 or more than 5 s of work, and kDraining or kDeadlineExceeded.
[[nodiscard]] Result<RedactedBody> redact_body(RequestScope& scope,
                                               const WorkloadRedaction& redaction,
                                               policy::Direction direction, std::string_view body);
[[nodiscard]] runtime::Task<Result<RedactedBody>> redact_long_body(
    RequestScope& scope, const WorkloadRedaction& redaction, policy::Direction direction,
    std::string_view body);

// A provider's reply, looked through: masked, or nullopt where it may pass as it is.
//
// errors: kContentBlocked; kUpstreamBadResponse when it is no JSON document in UTF-8.
[[nodiscard]] Result<std::optional<std::string>> masked_reply(const WorkloadRedaction& redaction,
                                                              policy::RedactedDocument reply);

// Whether a header's value holds an identifier, which is counted, or belongs to the bytes that
// masking changes: such a field does not pass, whatever the action. A header is no content. To be
// asked of fields that would pass otherwise, so that the counter tells what was kept back.
[[nodiscard]] bool withholds(const RequestScope& scope, policy::Direction direction,
                             const wire::Header& field);

// What a client is told of a reply that must not reach it.
[[nodiscard]] Error blocked_reply(std::string_view kind);
// Counts a reply or request that could not be looked through; the error for it.
[[nodiscard]] Error not_redacted(RequestScope& scope, policy::Direction direction,
                                 std::string_view why);
// Counts what was found.
void count_redactions(const RequestScope& scope, const WorkloadRedaction& redaction,
                      policy::Direction direction, const policy::Tally& tally) noexcept;

}  // namespace penstock::gateway
