// rooms: identity json crypto base
// A key set as whoever answers in the issuer's place sends it. Every key that comes out of it must
// be one of a known kind that signs, under a name that a token may have.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/result.h"
#include "crypto/public_key.h"
#include "identity/jwk.h"
#include "identity/key_set.h"
#include "identity/token.h"
#include "json/reader.h"

namespace {

using namespace penstock;  // NOLINT(google-build-using-namespace): a program of one file
using enum crypto::SignatureAlgorithm;

constexpr std::array kAll{kRs256, kRs384, kRs512, kPs256, kPs384,
                          kPs512, kEs256, kEs384, kEs512, kEdDsa};

void check(const identity::VerificationKey& key) {
  PENSTOCK_ASSERT(!key.kid || identity::is_kid(*key.kid));
  const auto count = std::ranges::count_if(kAll, [&](auto one) { return key.allows(one); });
  PENSTOCK_ASSERT(count == 1 || (count == 6 && !key.algorithm));
  for (const auto algorithm : kAll) {
    if (key.allows(algorithm)) PENSTOCK_ASSERT(key.key.allows(algorithm));
    PENSTOCK_ASSERT(!key.key.verify(algorithm, "", ""));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const std::optional<identity::VerificationKey> key = identity::read_jwk(text)) {
    PENSTOCK_ASSERT(json::valid(text));
    check(*key);
  }
  const Result<identity::KeySet> set = identity::KeySet::parse(text);
  if (!set) {
    PENSTOCK_ASSERT(!set.error().detail.empty());
    return 0;
  }
  PENSTOCK_ASSERT(json::valid(text));
  PENSTOCK_ASSERT(set->size() >= 1 && set->size() + set->left_out() <= identity::KeySet::kKeysMax);
  return 0;
}
