#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "store/quota_call.h"
#include "store/quota_store.h"

namespace penstock::store {

// What shared buckets are to be told once the store answers again: a settlement that was not sent,
// or the undo of a take that nobody heard the outcome of. Keeps all that it names.
class Owed {
 public:
  Owed(const QuotaSettlement& settlement, TimePoint since);
  // record: as the take had it.
  Owed(const QuotaAsk& ask, std::string_view record, TimePoint since);
  Owed(const Owed&) = delete;  // buckets_ views names_, whose texts stay where they are in a move
  Owed& operator=(const Owed&) = delete;
  Owed(Owed&&) noexcept = default;
  Owed& operator=(Owed&&) noexcept = default;
  ~Owed() = default;

  [[nodiscard]] std::string_view tenant() const noexcept { return names_[0]; }
  [[nodiscard]] TimePoint since() const noexcept { return since_; }
  // May be sent again, whatever became of it; a settlement only while it was never sent.
  [[nodiscard]] bool repeatable() const noexcept { return !names_[2].empty(); }
  // The call that tells it. It must not outlive this.
  [[nodiscard]] QuotaCall call() const;

 private:
  struct Names {
    std::string_view tenant;
    std::string_view epoch_key;
    std::string_view record;
  };
  Owed(const Names& names, std::span<const QuotaBucket> buckets, TimePoint since);

  std::vector<std::string> names_;  // tenant, epoch, record, buckets
  std::array<QuotaBucket, QuotaAsk::kBucketsMax> buckets_{};
  std::size_t bucket_count_ = 0;
  std::uint64_t back_ = 0;
  std::uint64_t charge_ = 0;
  std::uint64_t epoch_ = 0;
  TimePoint since_;
};

}  // namespace penstock::store
