#include "crypto/sha1.h"

#include <string_view>

#include <openssl/evp.h>

#include "base/assert.h"

namespace penstock::crypto {

Sha1Digest sha1(std::string_view bytes) {
  Sha1Digest digest;
  unsigned written = 0;
  const int ok =
      EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()),
                 &written, EVP_sha1(), nullptr);
  PENSTOCK_ASSERT(ok == 1 && written == digest.size());
  return digest;
}

}  // namespace penstock::crypto
