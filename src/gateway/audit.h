#pragma once

#include "base/error.h"
#include "base/error_code.h"
#include "gateway/request_scope.h"

// The request path's lines in the audit log: docs/reference/audit-log.md. They never wait and hold
// names, never content.
namespace penstock::gateway {

// Writes the line of a refusal, if it is one: by its code, or because a rule refused (the scope's
// `refused_by`).
void audit_refusal(RequestScope& scope, const Error& error);

// Writes the line of a provider that the client chose and is gone to: once, as the first attempt
// begins, so that what is refused before has the line of its refusal only.
void audit_choice(RequestScope& scope);

}  // namespace penstock::gateway
