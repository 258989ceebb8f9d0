#include "runtime/asio_loop.h"

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>

#include "base/clock.h"
#include "base/units.h"

namespace penstock::runtime {

// UNSAFE_IO: sockets of this loop are touched on its thread only, so the reactor needs no locks;
// post() from other threads stays safe.
AsioLoop::AsioLoop(const Clock& clock)
    : clock_(clock), context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO), alarm_(context_) {
  timers_.advance(clock.now());
  timers_.on_earlier(&AsioLoop::wake_earlier, this);
}

AsioLoop::~AsioLoop() = default;

void AsioLoop::run() {
  const auto guard = boost::asio::make_work_guard(context_);
  context_.run();
}

void AsioLoop::stop() {
  boost::asio::post(context_, [this] { context_.stop(); });
}

void AsioLoop::post(std::move_only_function<void()> work) {
  boost::asio::post(context_, std::move(work));
}

void AsioLoop::wake_earlier(void* self, TimePoint due) {
  auto& loop = *static_cast<AsioLoop*>(self);
  if (!loop.ticking_) loop.schedule(due);  // within a tick, the tick itself looks at the end
}

void AsioLoop::schedule(TimePoint due) {
  alarm_.expires_at(std::chrono::steady_clock::time_point(due.time_since_epoch()));
  alarm_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void AsioLoop::tick() {
  ticking_ = true;
  timers_.advance(clock_.now());
  ticking_ = false;
  if (const std::optional<TimePoint> next = timers_.next_wake()) schedule(*next);
}

}  // namespace penstock::runtime
