#include "net/connection_permits.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace penstock::net {

bool ConnectionPermits::try_take() noexcept {
  std::uint32_t taken = taken_.load(std::memory_order_relaxed);
  do {
    if (taken >= limit_) return false;
  } while (!taken_.compare_exchange_weak(taken, taken + 1));
  return true;
}

void ConnectionPermits::give_back() noexcept {
  taken_.fetch_sub(1);
  if (waiting_.load() != 0) tell_one_waiting();
}

bool ConnectionPermits::start_waiting(PermitUser& user) noexcept {
  std::uint32_t waiting = waiting_.load(std::memory_order_relaxed);
  do {
    if (waiting >= waiting_max_) return false;
  } while (!waiting_.compare_exchange_weak(waiting, waiting + 1));
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(&user);
  }
  for (PermitUser* other : users_)
    if (other != &user) other->permit_wanted();
  // One given back between the failed try and the line above told nobody.
  if (taken_.load() < limit_) tell_one_waiting();
  return true;
}

void ConnectionPermits::stop_waiting(PermitUser& user) noexcept {
  {
    const std::lock_guard lock(mutex_);
    queue_.erase(std::ranges::find(queue_, &user));
  }
  waiting_.fetch_sub(1);
  // What this waiter was told of may be for the next one.
  if (waiting_.load() != 0 && taken_.load() < limit_) tell_one_waiting();
}

void ConnectionPermits::tell_one_waiting() noexcept {
  const std::lock_guard lock(mutex_);
  if (!queue_.empty()) queue_.front()->permit_freed();
}

}  // namespace penstock::net
