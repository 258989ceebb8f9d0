#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace penstock::crypto {

// Whether two secrets are equal, in a time that depends on their lengths only.
[[nodiscard]] bool constant_time_equal(std::span<const std::byte> left,
                                       std::span<const std::byte> right) noexcept;
[[nodiscard]] bool constant_time_equal(std::string_view left, std::string_view right) noexcept;

}  // namespace penstock::crypto
