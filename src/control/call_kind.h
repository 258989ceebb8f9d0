#pragma once

#include <cstdint>

namespace penstock::control {

// What a client asked for: one reply, or a stream. Their times do not compare.
enum class CallKind : std::uint8_t { kUnary, kStream };

}  // namespace penstock::control
