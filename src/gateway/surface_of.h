#pragma once

#include "base/result.h"
#include "dialect/surface.h"
#include "gateway/request_scope.h"
#include "wire/header_list.h"

namespace penstock::gateway {

// Sets the scope's surface from method and path.
// errors: kNotFound for an unknown path, kMethodNotAllowed for a known one.
[[nodiscard]] Result<void> find_surface(RequestScope& scope);

// The path of a request target: without query, and without scheme and host when it has them.
[[nodiscard]] std::string_view path_of(std::string_view target) noexcept;

// Whether requests there carry a body that goes to a provider.
[[nodiscard]] bool takes_body(dialect::Surface surface) noexcept;

// Whether the body is said to be plain JSON in UTF-8, or nothing is said: providers obey a charset.
// errors: kUnsupportedMediaType.
[[nodiscard]] Result<void> check_media_type(const wire::HeaderList& headers);

}  // namespace penstock::gateway
