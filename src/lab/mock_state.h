#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/byte_budget.h"
#include "base/units.h"
#include "lab/fault.h"
#include "lab/mock_slots.h"
#include "lab/mock_stats.h"

namespace penstock::lab {

// What the workers of one mock share. Thread-safe.
class MockState {
 public:
  // key: the API key that requests must bear; empty: any or none.
  // name: what GET /mock/stats calls it.
  explicit MockState(std::string key, std::string name = "penstock-mock")
      : stats(std::move(name)), key_(std::move(key)) {}

  struct Set {
    Fault fault;
    std::string json = "{}";  // as it was given
  };

  // Replaces the faults that were set.
  void set_fault(Set set) {
    slots.limit(set.fault.slots);
    refuse_left_.store(set.fault.refuse, std::memory_order_relaxed);
    auto next = std::make_shared<const Set>(std::move(set));
    const std::lock_guard lock(mutex_);
    set_ = std::move(next);
  }
  [[nodiscard]] std::shared_ptr<const Set> fault() const {
    const std::lock_guard lock(mutex_);
    return set_;
  }

  // Whether new connections are being refused.
  [[nodiscard]] bool refusing() const noexcept {
    return refuse_left_.load(std::memory_order_relaxed) != 0;
  }
  // Takes one of the connections that are to be refused; false when none is left.
  [[nodiscard]] bool take_refusal() noexcept {
    std::uint64_t left = refuse_left_.load(std::memory_order_relaxed);
    while (left != 0)
      if (refuse_left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed))
        return true;
    return false;
  }

  [[nodiscard]] const std::string& key() const noexcept { return key_; }

  MockStats stats;
  MockSlots slots;
  ByteBudget body_memory{4_GiB};

 private:
  std::string key_;
  std::atomic<std::uint64_t> refuse_left_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<const Set> set_ = std::make_shared<const Set>();
};

}  // namespace penstock::lab
