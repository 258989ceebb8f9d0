#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace penstock::net {

// Whoever holds connections of a provider on one worker. Told from other threads.
class PermitUser {
 public:
  virtual ~PermitUser() = default;
  // A permit came free somewhere: whoever waits here may try again. Any thread; must only post.
  virtual void permit_freed() = 0;
  // Somebody elsewhere waits: an idle connection here should close. Any thread; must only post.
  virtual void permit_wanted() = 0;
};

// How many connections a provider may have over the whole process. Thread-safe; the mutex is
// touched only while somebody waits.
class ConnectionPermits {
 public:
  ConnectionPermits(std::uint32_t connections, std::uint32_t waiting) noexcept
      : limit_(connections), waiting_max_(waiting) {}

  // Users register before traffic and stay for the life of this object.
  void join(PermitUser& user) { users_.push_back(&user); }

  [[nodiscard]] bool try_take() noexcept;
  void give_back() noexcept;

  // False when too many wait already. `user` waits from now on, until stop_waiting().
  [[nodiscard]] bool start_waiting(PermitUser& user) noexcept;
  void stop_waiting(PermitUser& user) noexcept;

  [[nodiscard]] std::uint32_t taken() const noexcept {
    return taken_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t waiting() const noexcept { return waiting_.load(); }
  // Of those taken, how many are idle; kept by the pools.
  std::atomic<std::uint32_t> idle = 0;

 private:
  void tell_one_waiting() noexcept;

  const std::uint32_t limit_;
  const std::uint32_t waiting_max_;
  std::atomic<std::uint32_t> taken_ = 0;
  std::atomic<std::uint32_t> waiting_ = 0;
  std::vector<PermitUser*> users_;
  std::mutex mutex_;
  std::vector<PermitUser*> queue_;  // who waits, in order; a user stands once per waiter
};

// A permit that try_take() gave; given back unless a connection takes it over.
class TakenPermit {
 public:
  explicit TakenPermit(ConnectionPermits& permits) noexcept : permits_(&permits) {}
  TakenPermit(const TakenPermit&) = delete;
  TakenPermit& operator=(const TakenPermit&) = delete;
  ~TakenPermit() {
    if (permits_ != nullptr) permits_->give_back();
  }

  void pass_on() noexcept { permits_ = nullptr; }

 private:
  ConnectionPermits* permits_;
};

}  // namespace penstock::net
