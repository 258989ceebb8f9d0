#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "crypto/sha256.h"
#include "identity/credentials.h"

namespace penstock::identity {

enum class KeyState : std::uint8_t { kEnabled, kDisabled };

// One configured key, known by its hash only.
struct KeyEntry {
  crypto::Sha256Digest sha256{};  // over the key's bytes
  std::string tenant{};
  std::string workload{};  // empty: none
  std::string key_id{};
  Tier tier = Tier::kInternal;
  std::optional<WallTime> expires{};  // from this instant on the key is refused
  KeyState state = KeyState::kEnabled;
};

// The keys of one config snapshot. Immutable once built; any thread may ask.
class KeyRing {
 public:
  // errors: kInvalidRequest when two entries have the same hash (the message names both ids).
  [[nodiscard]] static Result<KeyRing> build(std::vector<KeyEntry> entries);

  // Who calls, by the credentials of one request. All wrong keys take the same time.
  //
  // result:  views into this ring.
  // errors:  kUnauthenticated: none, malformed, contradictory or unknown credentials;
  //          kKeyDisabled: a known key that is disabled or has expired. Never any part of a key.
  // cost:    below 1 µs, no allocation unless refused.
  [[nodiscard]] Result<Principal> identify(const Credentials& credentials, WallTime now) const;
  // The same by a key that was found in them already.
  [[nodiscard]] Result<Principal> identify_key(std::string_view key, WallTime now) const;

  // Whose key it is, if it is a known one, disabled or expired too: for the audit log.
  [[nodiscard]] std::optional<Principal> owner(std::string_view key) const;

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  explicit KeyRing(std::vector<KeyEntry> entries);
  [[nodiscard]] const KeyEntry* find(const crypto::Sha256Digest& digest) const noexcept;

  std::vector<KeyEntry> entries_;
  std::vector<std::uint32_t> slots_;  // open addressing by digest, at most half full; index + 1
};

}  // namespace penstock::identity
