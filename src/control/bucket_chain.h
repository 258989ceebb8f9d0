#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "control/rate_bucket.h"

namespace penstock::control {

struct ChainTake {
  TakeEnd end = TakeEnd::kTaken;
  std::size_t refused_by = 0;  // which bucket, in the order they were added; when not taken
  Duration wait = 0s;          // kWait: until every bucket would agree
};

// The buckets that one request must pass, innermost first (key, workload, tenant). All give or none
// does. A view for the length of one decision: the buckets and shapes outlive it.
class BucketChain {
 public:
  static constexpr std::size_t kBucketsMax = 6;

  // At most kBucketsMax.
  void add(const BucketShape& shape, RateBucket& bucket) noexcept;

  [[nodiscard]] ChainTake take(TimePoint now, std::uint64_t cost) noexcept;
  // How long until take() would take; 0: now.
  [[nodiscard]] Duration wait(TimePoint now, std::uint64_t cost) const noexcept;
  // Gives back what take() took from every bucket.
  void undo(std::uint64_t cost) noexcept;
  // Charges every bucket, whatever it costs.
  void charge(TimePoint now, std::uint64_t cost) noexcept;
  // The bucket with the fewest units left, which a client will meet first; nullopt without any.
  [[nodiscard]] std::optional<BucketLevel> tightest(TimePoint now) const noexcept;

 private:
  struct Link {
    const BucketShape* shape = nullptr;
    RateBucket* bucket = nullptr;
  };
  [[nodiscard]] ChainTake refused(TimePoint now, std::uint64_t cost,
                                  std::size_t refused_by) const noexcept;
  std::array<Link, kBucketsMax> links_{};
  std::size_t count_ = 0;
};

}  // namespace penstock::control
