#include "identity/token_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "base/units.h"
#include "crypto/compare.h"
#include "crypto/sha256.h"
#include "identity/claims.h"
#include "identity/key_set.h"

namespace penstock::identity {

void TokenCache::use(const std::shared_ptr<const TokenRules>& rules) {
  if (rules_ == rules) return;
  rules_ = rules;
  entries_.clear();
}

// Nobody can choose the output of SHA-256, so the sets fill evenly.
TokenCache::Entry* TokenCache::set_of(const crypto::Sha256Digest& token) noexcept {
  std::uint64_t first = 0;
  std::memcpy(&first, token.data(), sizeof first);
  return &entries_[first % kSets * kWays];
}

const Claims* TokenCache::find(const crypto::Sha256Digest& token, const KeySet& keys,
                               std::uint64_t version, WallTime now) {
  if (entries_.empty()) return nullptr;
  for (Entry& entry : std::span(set_of(token), kWays)) {
    if (entry.used == 0 || !crypto::constant_time_equal(entry.token, token)) continue;
    const bool vouched = entry.version == version || keys.holds(entry.key);
    if (!vouched || !entry.claims.good_at(now)) {
      entry = Entry();
      return nullptr;
    }
    entry.version = version;
    entry.used = ++uses_;
    return &entry.claims;
  }
  return nullptr;
}

const Claims& TokenCache::put(const crypto::Sha256Digest& token, const crypto::Sha256Digest& key,
                              std::uint64_t version, Claims claims) {
  if (entries_.empty()) entries_.resize(kSets * kWays);
  const std::span<Entry> set(set_of(token), kWays);
  auto at = std::ranges::find(set, token, &Entry::token);
  if (at == set.end()) at = std::ranges::min_element(set, {}, &Entry::used);
  *at = Entry{
      .token = token, .key = key, .version = version, .used = ++uses_, .claims = std::move(claims)};
  return at->claims;
}

std::size_t TokenCache::size() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const Entry& entry) { return entry.used != 0; }));
}

}  // namespace penstock::identity
