#pragma once

#include <cstdint>

#include "base/units.h"

namespace penstock::runtime {

// Why a request stopped before its end.
enum class StopReason : std::uint8_t {
  kNone,
  kClientGone,  // the client left, half-closed or stopped reading
  kShutdown,    // the process is leaving
};

class CancellationHook;

// The one place where a request is told to stop. Lives on the request's thread; others post.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Runs the hooks of whatever is being waited for. The first reason stays.
  void request(StopReason why) noexcept;
  [[nodiscard]] StopReason reason() const noexcept { return reason_; }
  [[nodiscard]] bool requested() const noexcept { return reason_ != StopReason::kNone; }

 private:
  friend class CancellationHook;
  StopReason reason_ = StopReason::kNone;
  CancellationHook* first_ = nullptr;
};

// What to do when the request is told to stop while something is being waited for. Registered for
// as long as it lives; called at most once, and not when the stop came before it was made.
class CancellationHook {
 public:
  using Call = void (*)(void* context);
  CancellationHook(Cancellation& cancellation, Call call, void* context) noexcept;
  CancellationHook(const CancellationHook&) = delete;
  CancellationHook& operator=(const CancellationHook&) = delete;
  ~CancellationHook();

 private:
  friend class Cancellation;
  void unlink() noexcept;

  Cancellation* cancellation_;
  Call call_;
  void* context_;
  CancellationHook* next_ = nullptr;
  CancellationHook* previous_ = nullptr;
};

// What every wait on the world is given: until when, and who may end it sooner.
struct CallContext {
  Cancellation& cancellation;
  TimePoint deadline = TimePoint::max();
};

}  // namespace penstock::runtime
