#include "crypto/sha256.h"

#include <memory>
#include <string_view>

#include <openssl/evp.h>

#include "base/assert.h"

namespace penstock::crypto {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

// Fetched once: looking an algorithm up by name costs more than hashing a key does.
const EVP_MD* algorithm() {
  static const EVP_MD* const kFetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  PENSTOCK_ASSERT(kFetched != nullptr);
  return kFetched;
}

}  // namespace

Sha256Digest sha256(std::string_view bytes) {
  thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  PENSTOCK_ASSERT(context != nullptr);
  Sha256Digest digest;
  unsigned written = 0;
  const bool ok = EVP_DigestInit_ex2(context.get(), algorithm(), nullptr) == 1 &&
                  EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
                  EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()),
                                     &written) == 1;
  PENSTOCK_ASSERT(ok && written == digest.size());
  return digest;
}

}  // namespace penstock::crypto
