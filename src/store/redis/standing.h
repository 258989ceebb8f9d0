#pragma once

#include <array>
#include <atomic>
#include <cstdint>
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
  void opened(std::string_view node, OutageReason why);
  void closed(std::string_view node);
  // A command without a reply; kDeadline and kOpen are counted like the others.
  void failed(OutageReason reason) noexcept {
    failures_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  // A posted command that was not sent, or whose fate is not known.
  void dropped() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }
  // A reply to another call arrived: an alarm in the log, each time.
  void mismatched(std::string_view node);

  // Whether any node is left alone by any client: the gauge `store_degraded`.
  [[nodiscard]] bool degraded() const noexcept { return open_.load() != 0; }
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
  LogSink& log_;
  std::atomic<std::uint32_t> open_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<std::uint64_t> mismatches_ = 0;
  std::array<std::atomic<std::uint64_t>, kOutageReasons> failures_{};
};

}  // namespace penstock::store::redis
