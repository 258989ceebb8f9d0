#pragma once

#include <algorithm>
#include <optional>

#include <boost/system/error_code.hpp>

#include "base/result.h"
#include "base/units.h"
#include "net/dialer.h"
#include "net/tcp_stream.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/timer.h"

namespace penstock::net {

// Ends what waits on a socket when the time is up or the context says so. It only cancels the
// operation, which then ends by itself: nothing is resumed from within a timer or a hook. Whoever
// waited asks ended() next. Lives in the waiting frame.
class SocketLimit {
 public:
  // until: how long this may take, besides what the context allows.
  SocketLimit(TcpSocket& socket, runtime::EventLoop& loop, TimePoint until,
              runtime::CallContext context)
      : socket_(socket),
        why_(context.deadline < until ? DialEnd::kCancelled : DialEnd::kTimedOut),
        timer_(loop.timers(), &SocketLimit::time_is_up, this),
        hook_(context.cancellation, &SocketLimit::told_to_stop, this) {
    const TimePoint due = std::min(until, context.deadline);
    if (context.cancellation.requested())
      ended_ = DialEnd::kCancelled;
    else if (due <= loop.clock().now())
      ended_ = why_;
    else if (due != TimePoint::max())
      timer_.arm(due);
  }

  // kTimedOut when `until` passed, kCancelled when the context ended it (its deadline included).
  [[nodiscard]] std::optional<DialEnd> ended() const noexcept { return ended_; }

 private:
  static void time_is_up(void* self) noexcept {
    auto& limit = *static_cast<SocketLimit*>(self);
    limit.end(limit.why_);
  }
  static void told_to_stop(void* self) noexcept {
    static_cast<SocketLimit*>(self)->end(DialEnd::kCancelled);
  }
  void end(DialEnd why) noexcept {
    if (ended_) return;
    ended_ = why;
    boost::system::error_code error;
    ignore(socket_.cancel(error), "nothing pending is fine too");
  }

  TcpSocket& socket_;
  DialEnd why_;
  std::optional<DialEnd> ended_;
  runtime::Timer timer_;
  runtime::CancellationHook hook_;
};

}  // namespace penstock::net
