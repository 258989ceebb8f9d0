#include "identity/key_set.h"

#include <algorithm>
#include <array>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "crypto/public_key.h"
#include "crypto/sha256.h"
#include "identity/jwk.h"
#include "identity/object_members.h"
#include "json/reader.h"

namespace penstock::identity {
namespace {

using enum crypto::SignatureAlgorithm;

std::unexpected<Error> unusable(std::string why) {
  Error error(ErrorCode::kUpstreamBadResponse);
  error.detail = std::move(why);
  return fail(std::move(error));
}

// Whether some algorithm could be meant by either, so that a token would not say which.
bool overlap(const VerificationKey& one, const VerificationKey& other) noexcept {
  constexpr std::array kAll{kRs256, kRs384, kRs512, kPs256, kPs384,
                            kPs512, kEs256, kEs384, kEs512, kEdDsa};
  return one.kid == other.kid && std::ranges::any_of(kAll, [&](auto algorithm) {
           return one.allows(algorithm) && other.allows(algorithm);
         });
}

}  // namespace

Result<KeySet> KeySet::parse(std::string_view text) {
  if (text.size() > kBytesMax) return unusable("it is too long");
  const std::optional<ObjectMembers> set = ObjectMembers::read(text);
  const ObjectMembers::Member* const keys = set ? set->find("keys") : nullptr;
  if (keys == nullptr || keys->kind != json::Kind::kArray) return unusable("it is no JWK set");
  KeySet made;
  json::Reader reader(keys->value);
  reader.enter_array();
  while (reader.next_element()) {
    if (made.keys_.size() + made.left_out_ == kKeysMax) return unusable("it has too many keys");
    made.add(reader.skip_value());
  }
  if (!reader.finish()) return unusable("it is no JWK set");
  if (made.keys_.empty()) return unusable("it has no key that can be used");
  return made;
}

void KeySet::add(std::string_view jwk) {
  std::optional<VerificationKey> key = read_jwk(jwk);
  const auto again = [&](const VerificationKey& other) { return key->kid && overlap(*key, other); };
  if (!key || std::ranges::any_of(keys_, again)) {
    ++left_out_;
    return;
  }
  keys_.push_back(*std::move(key));
}

const VerificationKey* KeySet::find(const std::optional<std::string>& kid,
                                    crypto::SignatureAlgorithm algorithm) const noexcept {
  const VerificationKey* found = nullptr;
  for (const VerificationKey& key : keys_) {
    if (!key.allows(algorithm) || (kid && key.kid != kid)) continue;
    if (found != nullptr) return nullptr;  // a token without a kid must leave no choice
    found = &key;
  }
  return found;
}

bool KeySet::knows(std::string_view kid) const noexcept {
  return std::ranges::any_of(keys_, [&](const VerificationKey& key) { return key.kid == kid; });
}

bool KeySet::holds(const crypto::Sha256Digest& fingerprint) const noexcept {
  return std::ranges::find(keys_, fingerprint, &VerificationKey::fingerprint) != keys_.end();
}

}  // namespace penstock::identity
