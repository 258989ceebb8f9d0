#include "base/label.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/assert.h"

namespace penstock {

LabelNames::LabelNames() : texts_(std::make_unique<std::array<std::string_view, kNamesMax>>()) {
  const bool in_place = intern("") == kNoLabel && intern("other") == kOtherLabel;
  PENSTOCK_ASSERT(in_place);
}

Label LabelNames::intern(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto known = labels_.find(name); known != labels_.end()) return known->second;
  const std::size_t index = count_.load(std::memory_order_relaxed);
  if (index >= kNamesMax) return kOtherLabel;
  const std::string_view owned = owned_.emplace_back(name);
  const Label label{static_cast<std::uint16_t>(index)};
  labels_.emplace(owned, label);
  (*texts_)[index] = owned;
  count_.store(index + 1, std::memory_order_release);
  return label;
}

std::string_view LabelNames::text(Label label) const noexcept {
  if (label.index >= count_.load(std::memory_order_acquire)) return "other";
  return (*texts_)[label.index];
}

}  // namespace penstock
