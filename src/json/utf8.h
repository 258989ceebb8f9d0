#pragma once

#include <string_view>

namespace penstock::json {

// Whether all of `bytes` is well-formed UTF-8 (no overlong forms, no surrogates). Vectorised;
// allocates nothing.
[[nodiscard]] bool valid_utf8(std::string_view bytes) noexcept;

}  // namespace penstock::json
