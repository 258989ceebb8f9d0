#include "crypto/roca.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace penstock::crypto {
namespace {

constexpr std::uint32_t kGenerator = 65537;
constexpr std::array<std::uint32_t, 38> kPrimes{
    3,  5,  7,  11, 13, 17,  19,  23,  29,  31,  37,  41,  43,  47,  53,  59,  61,  67,  71,
    73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167};

std::uint32_t remainder(std::string_view number, std::uint32_t prime) noexcept {
  std::uint32_t rest = 0;
  for (const char byte : number) rest = (rest * 256 + static_cast<unsigned char>(byte)) % prime;
  return rest;
}

bool is_power(std::uint32_t value, std::uint32_t prime) noexcept {
  std::uint32_t power = 1;
  do {
    if (power == value) return true;
    power = power * (kGenerator % prime) % prime;
  } while (power != 1);
  return false;
}

}  // namespace

bool is_roca_modulus(std::string_view big_endian) noexcept {
  return std::ranges::all_of(
      kPrimes, [&](std::uint32_t prime) { return is_power(remainder(big_endian, prime), prime); });
}

}  // namespace penstock::crypto
