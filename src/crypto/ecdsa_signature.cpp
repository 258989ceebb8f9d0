#include "crypto/ecdsa_signature.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::crypto {
namespace {

constexpr char kSequence = 0x30;
constexpr char kInteger = 0x02;
constexpr std::size_t kShortLengthMax = 0x7F;

// Unsigned, as std::string_view compares: char_traits<char> looks at bytes as unsigned.
bool within(std::string_view half, std::string_view order) noexcept {
  return half.find_first_not_of('\0') != std::string_view::npos && half < order;
}

void append_length(std::string& out, std::size_t length) {
  if (length > kShortLengthMax) out += static_cast<char>(0x81);  // P-521: 138 bytes and more
  out += static_cast<char>(length);
}

void append_integer(std::string& out, std::string_view half) {
  half.remove_prefix(half.find_first_not_of('\0'));
  const bool negative = (static_cast<unsigned char>(half.front()) & 0x80) != 0;
  out += kInteger;
  append_length(out, half.size() + (negative ? 1 : 0));
  if (negative) out += '\0';
  out += half;
}

}  // namespace

std::optional<std::string> ecdsa_der(std::string_view signature, std::string_view order) {
  if (signature.size() != 2 * order.size()) return std::nullopt;
  const std::string_view r = signature.substr(0, order.size());
  const std::string_view s = signature.substr(order.size());
  if (!within(r, order) || !within(s, order)) return std::nullopt;
  std::string numbers;
  append_integer(numbers, r);
  append_integer(numbers, s);
  std::string der(1, kSequence);
  append_length(der, numbers.size());
  return der + numbers;
}

}  // namespace penstock::crypto
