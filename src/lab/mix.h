#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// Turns texts and numbers into numbers that look random and are the same on every machine.
namespace penstock::lab {

// The finaliser of splitmix64 (Steele, Lea, Flood 2014), with its increment.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// Folds a text into a running value, eight bytes a step. Little-endian machines only.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t running, std::string_view text) noexcept {
  static_assert(std::endian::native == std::endian::little);
  running = mix(running ^ text.size());
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t block = 0;
    std::memcpy(&block, text.data(), sizeof block);
    running = mix(running ^ block);
    text.remove_prefix(sizeof block);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  return mix(running ^ rest);
}

}  // namespace penstock::lab
