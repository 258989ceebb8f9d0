#pragma once

#include <string_view>

namespace penstock::app {

inline constexpr std::string_view kVersion = PENSTOCK_VERSION;

}  // namespace penstock::app
