#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::lab {

// The fault `slots`: so many completions are served at once, the others wait in order. Shared by
// the mock's workers.
class MockSlots {
 public:
  // A slot that is held, or none when there is no limit. Given back at its end.
  class Hold {
   public:
    Hold() = default;
    explicit Hold(MockSlots& slots) noexcept : slots_(&slots) {}
    Hold(Hold&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
    Hold& operator=(Hold&& other) noexcept {
      std::swap(slots_, other.slots_);
      return *this;
    }
    ~Hold() {
      if (slots_ != nullptr) slots_->give_back();
    }

   private:
    MockSlots* slots_ = nullptr;
  };

  // Changes the limit; nullopt lets everybody through.
  void limit(std::optional<std::uint64_t> slots);
  // Waits for a slot; nullopt when the request was told to stop first.
  [[nodiscard]] runtime::Task<std::optional<Hold>> take(runtime::EventLoop& loop,
                                                        runtime::Cancellation& cancellation);

 private:
  struct Waiter;
  void give_back();
  void serve_waiters();

  std::mutex mutex_;
  std::optional<std::uint64_t> limit_;
  std::uint64_t taken_ = 0;
  std::deque<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace penstock::lab
