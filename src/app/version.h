#pragma once

#include <string>
#include <string_view>

namespace penstock::app {

inline constexpr std::string_view kVersion = PENSTOCK_VERSION;

// "0.1.0 (1a2b3c4d5e6f)": with the commit that this binary was built from, and "+" behind it where
// the tree had changes; the version alone outside a git checkout.
[[nodiscard]] std::string version_and_commit();

}  // namespace penstock::app
