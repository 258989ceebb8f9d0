#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/units.h"

namespace penstock {

class ByteBudget;

// Memory charged to a budget; given back when it ends. Move-only.
class ByteLease {
 public:
  ByteLease() = default;
  ByteLease(ByteLease&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ByteLease& operator=(ByteLease&& other) noexcept {
    if (this != &other) {
      give_back();
      budget_ = std::exchange(other.budget_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~ByteLease() { give_back(); }

  [[nodiscard]] Bytes bytes() const noexcept { return Bytes{bytes_}; }
  // Charges `more` to the same budget; false when it does not fit, and nothing changed.
  [[nodiscard]] bool grow(Bytes more) noexcept;

 private:
  friend class ByteBudget;
  ByteLease(ByteBudget& budget, std::uint64_t bytes) noexcept : budget_(&budget), bytes_(bytes) {}
  void give_back() noexcept;

  ByteBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// A bound on memory that all threads share. Charged before the memory is used.
class ByteBudget {
 public:
  explicit ByteBudget(Bytes limit) noexcept : limit_(limit.value) {}

  [[nodiscard]] std::optional<ByteLease> take(Bytes bytes) noexcept {
    if (!charge(bytes.value)) return std::nullopt;
    return ByteLease(*this, bytes.value);
  }
  // Makes `lease`, which may be empty, hold at least `least`, charging `step` at a time; false when
  // that does not fit: what was charged until then stays with the lease.
  [[nodiscard]] bool raise(ByteLease& lease, Bytes least, Bytes step) noexcept {
    if (lease.budget_ == nullptr) lease.budget_ = this;
    while (lease.bytes_ < least.value)
      if (!lease.grow(step)) return false;
    return true;
  }
  [[nodiscard]] Bytes used() const noexcept { return Bytes{used_.load(std::memory_order_relaxed)}; }
  [[nodiscard]] Bytes limit() const noexcept { return Bytes{limit_}; }

 private:
  friend class ByteLease;
  bool charge(std::uint64_t bytes) noexcept {
    std::uint64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ || used > limit_ - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }

  std::uint64_t limit_;
  std::atomic<std::uint64_t> used_ = 0;
};

inline bool ByteLease::grow(Bytes more) noexcept {
  if (budget_ == nullptr || !budget_->charge(more.value)) return false;
  bytes_ += more.value;
  return true;
}

inline void ByteLease::give_back() noexcept {
  if (budget_ != nullptr) budget_->used_.fetch_sub(bytes_, std::memory_order_relaxed);
  budget_ = nullptr;
}

}  // namespace penstock
