#include "crypto/compare.h"

#include <cstddef>
#include <span>
#include <string_view>

#include <openssl/crypto.h>

namespace penstock::crypto {

bool constant_time_equal(std::span<const std::byte> left,
                         std::span<const std::byte> right) noexcept {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

bool constant_time_equal(std::string_view left, std::string_view right) noexcept {
  return constant_time_equal(std::as_bytes(std::span(left)), std::as_bytes(std::span(right)));
}

}  // namespace penstock::crypto
