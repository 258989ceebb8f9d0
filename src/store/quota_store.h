#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/units.h"
#include "control/block.h"
#include "control/epoch_watch.h"
#include "control/rate_bucket.h"
#include "runtime/task.h"

namespace penstock::store {

// One bucket at the store: its name there, its rate and its capacity.
struct QuotaBucket {
  std::string_view key;
  control::Rate rate;
};

// One ceiling at the store, and what this gateway wants of it.
struct QuotaCeiling {
  std::string_view key;
  std::uint32_t limit = 0;
  std::uint32_t mark = 0;  // up to where the class of the request at hand may fill it
  std::uint32_t need = 0;  // places for this gateway, that request included; 0: what there is
  std::uint32_t want = 0;  // at least `need`, where there is room to spare
  std::uint64_t version = 0;
  // The most that `need` may be while other gateways may hold places that the store was not told of
  // again: for Block::kToldAgain after data were lost.
  std::uint32_t emergency = 0;
};

// Whose they are. Every name begins with the tenant, so that one node of a cluster has them all.
struct QuotaOwner {
  std::string_view tenant;
  std::string_view epoch_key;
  control::Epoch seen;  // by this process, last
};

// What one request takes of all its caller's buckets and ceilings, or of none. Views outlive the
// call.
struct QuotaAsk {
  static constexpr std::size_t kBucketsMax = 3;   // key, workload, tenant
  static constexpr std::size_t kCeilingsMax = 2;  // workload, tenant

  QuotaOwner owner;
  std::uint64_t cost = 0;  // units of each bucket
  std::uint64_t back = 0;  // units given back to each bucket first
  std::uint64_t more = 0;  // units of each bucket beyond the cost, as many as all have
  std::array<QuotaBucket, kBucketsMax> buckets{};
  std::size_t bucket_count = 0;
  std::array<QuotaCeiling, kCeilingsMax> ceilings{};
  std::size_t ceiling_count = 0;
};

struct QuotaAnswer {
  enum class End : std::uint8_t {
    kTaken,
    kWait,  // a bucket has too little
    kFull,  // a ceiling is reached
  };
  End end = End::kTaken;
  std::size_t refused_by = 0;  // which bucket or ceiling, as they were asked
  Duration wait = 0s;          // kWait: until every bucket would agree
  std::uint64_t more = 0;      // units beyond the cost that were taken
  control::Epoch epoch;
  std::array<Duration, QuotaAsk::kBucketsMax> full_in{};  // each bucket, until it is full
  std::array<control::BlockGrant, QuotaAsk::kCeilingsMax> grants{};
};

// What a call turned out to use of what it had taken, by the limits that its buckets were last
// taken from under: those of the call may be of before a change.
struct QuotaSettlement {
  QuotaOwner owner;  // seen: as it was when the call took
  std::span<const QuotaBucket> buckets;
  std::uint64_t back = 0;    // units that go back to each
  std::uint64_t charge = 0;  // units that are taken besides, whatever is there
};

// Quotas that several gateways share. One for each event loop, used on its thread only.
class QuotaStore {
 public:
  virtual ~QuotaStore() = default;

  // Takes, in one step. nullopt: the store is away, or was not heard by `due`; the caller then
  // decides by itself and does not ask again for the same request.
  [[nodiscard]] virtual runtime::Task<std::optional<QuotaAnswer>> take(const QuotaAsk& ask,
                                                                       TimePoint due) = 0;
  // Sends it behind what was taken. Nobody waits for it, and while the store is away it may be
  // lost.
  virtual void settle(const QuotaSettlement& settlement) noexcept = 0;
  // False: take() would say nullopt at once.
  [[nodiscard]] virtual bool available(std::string_view tenant) const noexcept = 0;
};

}  // namespace penstock::store
