#include "identity/key_ring.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "crypto/compare.h"
#include "crypto/sha256.h"
#include "identity/credentials.h"

namespace penstock::identity {
namespace {

// Where the search for a digest begins. SHA-256 spreads well, and nobody can choose its output.
std::size_t home(const crypto::Sha256Digest& digest) noexcept {
  std::uint64_t first = 0;
  std::memcpy(&first, digest.data(), sizeof first);
  return static_cast<std::size_t>(first);
}

std::size_t slots_for(std::size_t entries) noexcept { return std::bit_ceil(2 * entries + 1); }

Principal principal_of(const KeyEntry& entry) noexcept {
  return {.tenant = entry.tenant,
          .workload = entry.workload,
          .key_id = entry.key_id,
          .tier = entry.tier};
}

}  // namespace

KeyRing::KeyRing(std::vector<KeyEntry> entries)
    : entries_(std::move(entries)), slots_(slots_for(entries_.size()), 0) {}

Result<KeyRing> KeyRing::build(std::vector<KeyEntry> entries) {
  KeyRing ring(std::move(entries));
  for (std::size_t i = 0; i < ring.entries_.size(); ++i) {
    const KeyEntry& entry = ring.entries_[i];
    if (const KeyEntry* other = ring.find(entry.sha256); other != nullptr)
      return fail(ErrorCode::kInvalidRequest, "keys \"" + other->tenant + "/" + other->key_id +
                                                  "\" and \"" + entry.tenant + "/" + entry.key_id +
                                                  "\" have the same sha256");
    std::size_t at = home(entry.sha256) & (ring.slots_.size() - 1);
    while (ring.slots_[at] != 0) at = (at + 1) & (ring.slots_.size() - 1);
    ring.slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
  return ring;
}

const KeyEntry* KeyRing::find(const crypto::Sha256Digest& digest) const noexcept {
  for (std::size_t at = home(digest);; ++at) {
    const std::uint32_t slot = slots_[at & (slots_.size() - 1)];
    if (slot == 0) return nullptr;
    const KeyEntry& entry = entries_[slot - 1];
    if (crypto::constant_time_equal(entry.sha256, digest)) return &entry;
  }
}

Result<Principal> KeyRing::identify(const Credentials& credentials, WallTime now) const {
  PENSTOCK_TRY(const std::string_view key, presented_key(credentials));
  return identify_key(key, now);
}

Result<Principal> KeyRing::identify_key(std::string_view key, WallTime now) const {
  const KeyEntry* const entry = find(crypto::sha256(key));
  if (entry == nullptr || key.size() > kKeyBytesMax)
    return fail(ErrorCode::kUnauthenticated, "This API key is not known.");
  const bool expired = entry->expires && now >= *entry->expires;
  if (expired || entry->state == KeyState::kDisabled) {
    Error error(ErrorCode::kKeyDisabled);
    error.detail =
        std::string(expired ? "expired" : "disabled") + ": " + entry->tenant + "/" + entry->key_id;
    return fail(std::move(error));
  }
  return principal_of(*entry);
}

std::optional<Principal> KeyRing::owner(std::string_view key) const {
  const KeyEntry* const entry = find(crypto::sha256(key));
  if (entry == nullptr) return std::nullopt;
  return principal_of(*entry);
}

}  // namespace penstock::identity
