#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/seams.h"
#include "store/redis/outage.h"

namespace penstock::store::redis {

// What the process counts and says about its Redis, over the clients of all loops. Thread-safe.
// Logs changes, never requests.
class Standing {
 public:
  // log: outlives it.
  explicit Standing(LogSink& log) noexcept : log_(log) {}
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

  // A client left a node alone, or takes it up again. Each client pairs the two.
  // detail: for operators; may be empty.
  void opened(std::string_view node, OutageReason why, std::string_view detail);
  void closed(std::string_view node);
  // The end of a client, or of a node that left its cluster, in place of closed(): says nothing.
  void forgot(std::string_view node);
  // A command without a reply; kDeadline and kOpen are counted like the others.
  void failed(OutageReason reason) noexcept {
    failures_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  // A posted command that was not sent, or whose fate is not known.
  void dropped() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }
  // A reply to another call arrived: an alarm in the log, each time.
  void mismatched(std::string_view node);

  // Whether any node is left alone by any client: the gauge `store_degraded`.
  [[nodiscard]] bool degraded() const {
    const std::scoped_lock lock(mutex_);
    return !open_of_.empty();
  }
  [[nodiscard]] std::uint64_t failures(OutageReason reason) const noexcept {
    return failures_[static_cast<std::size_t>(reason)].load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t drops() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t mismatches() const noexcept {
    return mismatches_.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] bool last_of(std::string_view node);

  LogSink& log_;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<std::uint64_t> mismatches_ = 0;
  mutable std::mutex mutex_;  // of the next; taken when a breaker changes, and to be shown
  std::map<std::string, std::uint32_t, std::less<>> open_of_;  // clients that left a node alone
  std::array<std::atomic<std::uint64_t>, kOutageReasons> failures_{};
};

}  // namespace penstock::store::redis
