#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::store::redis {

// A Redis Cluster's part of all keys: 0 to kSlots - 1.
using Slot = std::uint16_t;
inline constexpr std::uint32_t kSlots = 16384;

// CRC-16/XMODEM, of which a slot is the remainder.
// source: redis.io, "Redis cluster specification", appendix A.
[[nodiscard]] std::uint16_t crc16(std::string_view bytes) noexcept;

// The slot of a hash tag, given without its braces.
[[nodiscard]] Slot slot_of_tag(std::string_view tag) noexcept;

// The slot of a key: of what stands between its first `{` and the next `}`, if that is anything;
// else of the whole key.
[[nodiscard]] Slot slot_of_key(std::string_view key) noexcept;

}  // namespace penstock::store::redis
