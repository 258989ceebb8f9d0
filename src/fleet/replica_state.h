#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/units.h"
#include "control/breaker.h"
#include "control/call_kind.h"
#include "control/cool_down.h"
#include "control/health.h"
#include "control/in_flight_limit.h"
#include "control/peak_ewma.h"
#include "control/retry_budget.h"
#include "control/usual_time.h"

namespace penstock::fleet {

// The last failure of a replica, for operators. Holds no content of requests or replies.
struct LastError {
  ErrorCode code = ErrorCode::kUpstreamError;
  std::uint16_t status = 0;  // of the replica's reply; 0: there was none
  WallTime at{};
};

// Whether an operator lets a replica take new calls.
enum class Duty : std::uint8_t { kServing, kDrained };

// How long calls of one kind take at a replica.
struct CallTimes {
  control::PeakEwma cost;    // for the balancer: faults weigh in
  control::UsualTime usual;  // of good answers only
};

struct ReplicaState;

// One call's charge on a replica, from the moment that it was chosen; given back when the call
// ends. Move-only.
class ReplicaCharge {
 public:
  ReplicaCharge() = default;
  ReplicaCharge(ReplicaCharge&& other) noexcept
      : replica_(std::exchange(other.replica_, nullptr)) {}
  ReplicaCharge& operator=(ReplicaCharge&& other) noexcept {
    ReplicaCharge taken(std::move(other));
    std::swap(replica_, taken.replica_);
    return *this;
  }
  ~ReplicaCharge();

 private:
  friend struct ReplicaState;
  explicit ReplicaCharge(ReplicaState& replica) noexcept : replica_(&replica) {}
  ReplicaState* replica_ = nullptr;
};

// What is known of one replica, shared by all workers. Outlives a change of the config.
struct ReplicaState {
  std::atomic<std::uint32_t> in_flight = 0;
  std::atomic<Duty> duty = Duty::kServing;
  control::Breaker breaker;  // in band
  control::Health health;    // out of band; written by the replica's prober
  control::CoolDown cool_down;
  CallTimes unary;   // in all
  CallTimes stream;  // to first content

  [[nodiscard]] CallTimes& times(control::CallKind kind) noexcept {
    return kind == control::CallKind::kStream ? stream : unary;
  }

  // Charges it if it still has `seen` calls; nullopt when another call came or went in between.
  [[nodiscard]] std::optional<ReplicaCharge> charge(std::uint32_t seen) noexcept {
    if (!in_flight.compare_exchange_strong(seen, seen + 1)) return std::nullopt;
    return ReplicaCharge(*this);
  }
  // Charges it whatever it has.
  [[nodiscard]] ReplicaCharge charge() noexcept {
    in_flight.fetch_add(1);
    return ReplicaCharge(*this);
  }

  // An operator's words.
  void drain() noexcept { duty.store(Duty::kDrained); }
  void enable(TimePoint now) noexcept {
    if (duty.exchange(Duty::kServing) == Duty::kDrained)
      enabled_at_.store(now.time_since_epoch().count());
  }
  // When it last came back, by health, breaker or `enable`: the beginning of slow start; nullopt
  // for one that was there from the start.
  [[nodiscard]] std::optional<TimePoint> returned_at() const noexcept;

  void set_last_error(const LastError& error) {
    const std::scoped_lock lock(last_error_mutex_);
    last_error_ = error;
  }
  [[nodiscard]] std::optional<LastError> last_error() const {
    const std::scoped_lock lock(last_error_mutex_);
    return last_error_;
  }

 private:
  std::atomic<Duration::rep> enabled_at_ = 0;  // 0: never
  mutable std::mutex last_error_mutex_;        // failures and the admin plane only
  std::optional<LastError> last_error_;
};

inline ReplicaCharge::~ReplicaCharge() {
  if (replica_ != nullptr) replica_->in_flight.fetch_sub(1);
}

// What is known of one provider, shared by all workers. Outlives a change of the config.
struct ProviderState {
  ProviderState(std::size_t replica_count, std::uint32_t in_flight_limit)
      : in_flight(in_flight_limit), replicas(replica_count) {}

  // The configured limit × what the provider's pace leaves of it (control/degraded_limit.h).
  control::InFlightLimit in_flight;
  std::atomic<bool> degraded = false;  // batch is not eligible here
  control::RetryBudget retry_budget;
  std::vector<ReplicaState> replicas;  // in the config's order; never resized
};

}  // namespace penstock::fleet
