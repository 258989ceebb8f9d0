#pragma once

#include <string>
#include <string_view>

namespace penstock {

// A name as readers see it that ignore case by Unicode's simple folding, as far as that yields a
// letter of ASCII: capitals, the long s (U+017F) and the Kelvin sign (U+212A; both in Unicode's
// CaseFolding.txt). Go's encoding/json reads names so. Other bytes are left as they are.
[[nodiscard]] std::string fold_case(std::string_view name);

}  // namespace penstock
