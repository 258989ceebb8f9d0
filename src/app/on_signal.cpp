#include "app/on_signal.h"

#include <csignal>
#include <functional>
#include <memory>
#include <utility>

#include <unistd.h>

#include "base/clock.h"
#include "lab/on_stop.h"
#include "runtime/asio_loop.h"
#include "runtime/signals.h"
#include "runtime/thread.h"

namespace penstock::app {
namespace {

// A loop on a thread of its own that waits for signals. Ends with its owner.
class SignalThread {
 public:
  SignalThread(const Clock& clock, std::function<void()> stop)
      : loop_(clock),
        stop_(std::move(stop)),
        signals_(loop_, {SIGTERM, SIGINT},
                 [this](int) {
                   if (std::exchange(told_, true)) ::_exit(1);
                   stop_();
                 }),
        thread_("signals", [this] { loop_.run(); }) {}
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;
  ~SignalThread() {
    loop_.stop();
    thread_.join();
  }

 private:
  runtime::AsioLoop loop_;
  std::function<void()> stop_;
  bool told_ = false;
  runtime::Signals signals_;
  runtime::Thread thread_;
};

}  // namespace

lab::OnStop stop_on_signal(const Clock& clock) {
  auto keep = std::make_shared<std::unique_ptr<SignalThread>>();
  return [keep, &clock](std::function<void()> stop) {
    *keep = std::make_unique<SignalThread>(clock, std::move(stop));
  };
}

}  // namespace penstock::app
