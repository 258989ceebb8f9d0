#include "identity/key_demand.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/units.h"

namespace penstock::identity {

KeyDemand::Advice KeyDemand::on_unknown(const std::optional<std::string>& kid, TimePoint now) {
  if (kid && std::ranges::find(unknown_, *kid) != unknown_.end()) return Advice::kRefuse;
  if (fetching_) return Advice::kWait;
  return take_fetch(now) ? Advice::kFetch : Advice::kRefuse;
}

bool KeyDemand::take_fetch(TimePoint now) noexcept {
  if (last_ && now - *last_ < kPause) return false;
  last_ = now;
  fetching_ = true;  // from the order on: whoever asks before it begins waits for it
  return true;
}

void KeyDemand::on_fetch_ended(Fetch fetched) noexcept {
  fetching_ = false;
  if (fetched == Fetch::kFailed) return;
  unknown_.clear();
  oldest_ = 0;
}

void KeyDemand::remember(std::string kid) {
  if (std::ranges::find(unknown_, kid) != unknown_.end()) return;
  if (unknown_.size() < kUnknownMax) {
    unknown_.push_back(std::move(kid));
    return;
  }
  unknown_[oldest_] = std::move(kid);
  oldest_ = (oldest_ + 1) % kUnknownMax;
}

}  // namespace penstock::identity
