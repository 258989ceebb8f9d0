#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/secret.h"
#include "wire/request_head.h"

namespace penstock::admin {

// Whether the caller may look at, and may change, this gateway. Without a token the plane is open
// to this machine's programs, but not to pages in its browser: see SECURITY.md.
//
// token:  empty: none is asked for (loopback only).
// errors: kUnauthenticated.
[[nodiscard]] Result<void> check_caller(const wire::RequestHead& head, const Secret& token);

// What a request that changes something must bring besides: a body that is said to be JSON, which a
// page from elsewhere cannot send unasked, and no Origin from elsewhere.
// errors: kUnauthenticated, kUnsupportedMediaType.
[[nodiscard]] Result<void> check_change(const wire::RequestHead& head);

}  // namespace penstock::admin
