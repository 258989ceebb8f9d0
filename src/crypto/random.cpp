#include "crypto/random.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include <openssl/rand.h>

#include "base/assert.h"

namespace penstock::crypto {

void fill_random(std::span<std::byte> out) noexcept {
  constexpr std::size_t kPieceBytes = 1 << 20;  // RAND_bytes takes an int
  while (!out.empty()) {
    const std::span<std::byte> piece = out.first(std::min(out.size(), kPieceBytes));
    const int filled =
        RAND_bytes(reinterpret_cast<unsigned char*>(piece.data()), static_cast<int>(piece.size()));
    PENSTOCK_ASSERT(filled == 1);
    out = out.subspan(piece.size());
  }
}

}  // namespace penstock::crypto
