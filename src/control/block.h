#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/units.h"
#include "control/closed.h"
#include "control/priority.h"

namespace penstock::control {

// What the shared store says of this gateway's block under a ceiling.
struct BlockGrant {
  std::uint64_t version = 0;  // of the setting that it reflects
  std::uint32_t granted = 0;  // places of this gateway
  std::uint32_t others = 0;   // places of all other gateways together
};

// Under one ceiling that several gateways share, the places that this one holds: a number that is
// set at the store, never incremented, and that requests enter here without asking. Shared by all
// workers; the lock is taken only when the number moves.
//
// A setting has a version, minted here and kept at the store, so that of two that cross the later
// one holds, wherever they meet.
class Block {
 public:
  static constexpr Duration kLife = 15s;    // at the store, from each setting on
  static constexpr Duration kTrust = 10s;   // here, from each confirmation on
  static constexpr Duration kRenewal = 5s;  // docs/reference/quotas.md
  // After the store lost its data: until every gateway has told it again what it holds, which it
  // looks after once a second.
  static constexpr Duration kToldAgain = kRenewal + 1s;

  // How many may be in flight here, without asking, of a class that may fill a ceiling up to
  // `class_mark`; 0: ask. generation: of the store's data; a block from another one is void.
  [[nodiscard]] std::uint32_t mark(std::uint32_t class_mark, std::uint32_t generation,
                                   TimePoint now) const noexcept;

  // A version for the next setting.
  [[nodiscard]] std::uint64_t mint() noexcept { return 1 + minted_.fetch_add(1); }
  // The store answered; sent: when it was asked.
  void apply(const BlockGrant& grant, std::uint32_t generation, TimePoint sent);

  // The store had no place beyond the block for this class. Believed for Closed::kLongest of that
  // class and of those below it; who then finds the block full is refused without asking.
  void note_full(Priority as, TimePoint now) noexcept;
  [[nodiscard]] bool known_full(Priority as, TimePoint now) const noexcept;

  // Looks after it, about once a second: what to set at the store, as a version and a number that
  // it has been lowered to already; nullopt: nothing. renewal: how long a setting holds.
  struct Setting {
    std::uint64_t version = 0;
    std::uint32_t want = 0;
  };
  [[nodiscard]] std::optional<Setting> tend(std::uint32_t in_flight, std::uint32_t ceiling,
                                            TimePoint now, Duration renewal = kRenewal);
  [[nodiscard]] std::uint32_t granted() const noexcept { return granted_.load(); }

 private:
  mutable std::mutex mutex_;  // over what follows, for writers
  std::uint64_t version_ = 0;
  TimePoint set_at_{};
  std::atomic<std::uint32_t> granted_ = 0;
  std::atomic<std::uint32_t> others_ = 0;
  std::atomic<std::uint32_t> generation_ = 0;
  std::atomic<std::int64_t> until_ns_ = 0;
  std::atomic<std::uint64_t> minted_ = 0;
  std::array<Closed, kPriorityCount> full_;
};

// How many places beyond the needed ones a gateway asks for while a ceiling has room: 5 %, at most
// 64; none under 20, where every place counts.
[[nodiscard]] constexpr std::uint32_t block_headroom(std::uint32_t ceiling) noexcept {
  return ceiling / 20 < 64 ? ceiling / 20 : 64;
}

}  // namespace penstock::control
