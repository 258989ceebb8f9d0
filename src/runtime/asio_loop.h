#pragma once

#include <functional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"
#include "runtime/event_loop.h"

namespace penstock::runtime {

// The real loop, over Asio's reactor. For .cpp files only: it brings Asio.
class AsioLoop final : public EventLoop {
 public:
  explicit AsioLoop(const Clock& clock);
  ~AsioLoop() override;

  // Runs on the calling thread until stop().
  void run();
  // Ends run() after what is running now. Any thread.
  void stop();

  void post(std::move_only_function<void()> work) override;
  [[nodiscard]] const Clock& clock() const noexcept override { return clock_; }
  [[nodiscard]] TimerWheel& timers() noexcept override { return timers_; }
  [[nodiscard]] boost::asio::io_context& context() noexcept { return context_; }

 private:
  static void wake_earlier(void* self, TimePoint due);
  void schedule(TimePoint due);
  void tick();

  const Clock& clock_;
  TimerWheel timers_;  // before the context: handlers that it destroys may own timers
  boost::asio::io_context context_;
  boost::asio::steady_timer alarm_;
  bool ticking_ = false;
};

}  // namespace penstock::runtime
