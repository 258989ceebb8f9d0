#pragma once

#include <cstddef>
#include <span>

namespace penstock::crypto {

// Fills with bytes fit for keys and ids. Any thread. Aborts when the system has no randomness to
// give, since nothing safe could follow.
void fill_random(std::span<std::byte> out) noexcept;

}  // namespace penstock::crypto
