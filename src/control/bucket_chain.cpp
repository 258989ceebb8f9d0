#include "control/bucket_chain.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "base/units.h"
#include "control/rate_bucket.h"

namespace penstock::control {

void BucketChain::add(const BucketShape& shape, RateBucket& bucket) noexcept {
  PENSTOCK_ASSERT(count_ < kBucketsMax);
  links_[count_++] = {&shape, &bucket};
}

ChainTake BucketChain::take(TimePoint now, std::uint64_t cost) noexcept {
  for (std::size_t i = 0; i < count_; ++i)
    if (cost > links_[i].shape->burst()) return {.end = TakeEnd::kNever, .refused_by = i};
  for (std::size_t i = 0; i < count_; ++i) {
    if (links_[i].bucket->take(*links_[i].shape, now, cost).end == TakeEnd::kTaken) continue;
    for (std::size_t inner = i; inner > 0; --inner)
      links_[inner - 1].bucket->undo(*links_[inner - 1].shape, cost);
    return refused(now, cost, i);
  }
  return {};
}

// The refusing bucket may have refilled meanwhile (another worker gave back): then the wait is 0.
ChainTake BucketChain::refused(TimePoint now, std::uint64_t cost,
                               std::size_t refused_by) const noexcept {
  return {.end = TakeEnd::kWait, .refused_by = refused_by, .wait = wait(now, cost)};
}

Duration BucketChain::wait(TimePoint now, std::uint64_t cost) const noexcept {
  Duration longest = 0s;
  for (std::size_t i = 0; i < count_; ++i)
    longest = std::max(longest, links_[i].bucket->peek(*links_[i].shape, now, cost).wait);
  return longest;
}

void BucketChain::undo(std::uint64_t cost) noexcept {
  for (std::size_t i = 0; i < count_; ++i) links_[i].bucket->undo(*links_[i].shape, cost);
}

void BucketChain::charge(TimePoint now, std::uint64_t cost) noexcept {
  for (std::size_t i = 0; i < count_; ++i) links_[i].bucket->charge(*links_[i].shape, now, cost);
}

std::optional<BucketLevel> BucketChain::tightest(TimePoint now) const noexcept {
  std::optional<BucketLevel> found;
  for (std::size_t i = 0; i < count_; ++i) {
    const BucketLevel level = links_[i].bucket->level(*links_[i].shape, now);
    if (!found || level.remaining < found->remaining) found = level;
  }
  return found;
}

}  // namespace penstock::control
