#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"
#include "crypto/sha256.h"
#include "identity/claims.h"
#include "identity/key_set.h"

namespace penstock::identity {

// Tokens of one worker that were verified before, by the SHA-256 of all their bytes, so that asking
// again costs a hash and a look-up. Holds what they claim and which key vouches for it, never a
// token. Only verified tokens come in, so that a stranger can push nobody out.
//
// Bounded: kSets × kWays entries, of which a new one replaces the least recently used of its set.
// About 1.5 MB when full; nothing until the first token.
class TokenCache {
 public:
  static constexpr std::size_t kSets = 1024;
  static constexpr std::size_t kWays = 4;

  // Forgets everything when other rules are in force than before.
  void use(const std::shared_ptr<const TokenRules>& rules);

  // What the token claims; null when it is not here, when its time is over, or when its key has
  // left the set. keys, version: those in force; another version is another set of keys.
  // Valid until the next call.
  [[nodiscard]] const Claims* find(const crypto::Sha256Digest& token, const KeySet& keys,
                                   std::uint64_t version, WallTime now);

  // Keeps a verified token. key: the fingerprint of the one that verified it, of that version.
  const Claims& put(const crypto::Sha256Digest& token, const crypto::Sha256Digest& key,
                    std::uint64_t version, Claims claims);

  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct Entry {
    crypto::Sha256Digest token{};
    crypto::Sha256Digest key{};
    std::uint64_t version = 0;
    std::uint64_t used = 0;  // 0: empty
    Claims claims;
  };
  [[nodiscard]] Entry* set_of(const crypto::Sha256Digest& token) noexcept;

  std::shared_ptr<const TokenRules> rules_;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace penstock::identity
