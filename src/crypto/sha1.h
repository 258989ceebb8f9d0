#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace penstock::crypto {

using Sha1Digest = std::array<std::byte, 20>;

// SHA-1 of the bytes (FIPS 180-4). Any thread. Only where a protocol names things by it: it is no
// protection against anybody.
[[nodiscard]] Sha1Digest sha1(std::string_view bytes);

}  // namespace penstock::crypto
