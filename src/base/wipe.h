#pragma once

#include <cstddef>

#include <string.h>

namespace penstock {

// Overwrites bytes that nobody reads again with zeros; no compiler leaves it out.
inline void wipe(char* at, std::size_t size) noexcept { ::explicit_bzero(at, size); }

}  // namespace penstock
