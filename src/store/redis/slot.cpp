#include "store/redis/slot.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock::store::redis {
namespace {

constexpr std::array<std::uint16_t, 256> table() {
  constexpr std::uint32_t kPolynomial = 0x1021;
  std::array<std::uint16_t, 256> made{};
  for (std::uint32_t i = 0; i < made.size(); ++i) {
    std::uint32_t crc = i << 8;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 0x8000) != 0 ? (crc << 1) ^ kPolynomial : crc << 1;
    made[i] = static_cast<std::uint16_t>(crc);
  }
  return made;
}
constexpr std::array<std::uint16_t, 256> kTable = table();

}  // namespace

std::uint16_t crc16(std::string_view bytes) noexcept {
  std::uint32_t crc = 0;
  for (const char byte : bytes)
    crc = ((crc << 8) & 0xFFFF) ^ kTable[((crc >> 8) ^ static_cast<unsigned char>(byte)) & 0xFF];
  return static_cast<std::uint16_t>(crc);
}

Slot slot_of_tag(std::string_view tag) noexcept { return crc16(tag) % kSlots; }

Slot slot_of_key(std::string_view key) noexcept {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close != open + 1)
      return slot_of_tag(key.substr(open + 1, close - open - 1));
  }
  return slot_of_tag(key);
}

}  // namespace penstock::store::redis
