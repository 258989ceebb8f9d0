#pragma once

#include <string>
#include <vector>

#include "base/field_type.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/secret.h"
#include "base/secret_ref.h"
#include "config/path.h"
#include "config/problem.h"

namespace penstock::config {

// The reference with a relative `file:` path made to start at the folder of the config file.
[[nodiscard]] std::string located(const SecretRef& reference);

// Reads the secret that a reference names. The config itself never holds it.
// errors: kInvalidRequest when it is absent or empty; the message names the reference.
[[nodiscard]] Result<Secret> resolve(const SecretRef& reference, const SecretSource& source);

// The same for a credential that goes into a header.
// errors: also when it holds anything but visible ASCII: a line break would begin another header.
[[nodiscard]] Result<Secret> resolve_word(const SecretRef& reference, const SecretSource& source);

// Adds a problem for every reference within `value` that names no secret.
void check_secrets(const TypeInfo& type, const void* value, const Origins& origins,
                   const SecretSource& source, std::vector<Problem>& problems);

}  // namespace penstock::config
