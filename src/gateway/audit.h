#pragma once

#include "base/error.h"
#include "base/error_code.h"
#include "gateway/request_scope.h"

// The request path's lines in the audit log: docs/reference/audit-log.md. They never wait and hold
// names, never content.
namespace penstock::gateway {

// Writes the line of a refusal, if it is one: by its code, or because a rule refused (the scope's
// `refused_by`). Of any other end before the first attempt, the line of the provider that the
// client chose, if it chose one, with the code.
void audit_refusal(RequestScope& scope, const Error& error);

// Writes the line of a provider that the client chose and is gone to: once, as the first attempt
// begins; what ends before that has its line from audit_refusal().
void audit_choice(RequestScope& scope);

}  // namespace penstock::gateway
