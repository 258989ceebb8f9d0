#include "runtime/signals.h"

#include <csignal>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

#include <signal.h>

#include <boost/asio/signal_set.hpp>
#include <boost/system/error_code.hpp>

#include "runtime/asio_loop.h"

namespace penstock::runtime {

struct Signals::State {
  explicit State(AsioLoop& loop) : set(loop.context()) {}
  boost::asio::signal_set set;
  std::function<void(int)> on_signal;

  static void wait(const std::shared_ptr<State>& state) {
    state->set.async_wait([state](const boost::system::error_code& error, int number) {
      if (error || !state->on_signal) return;
      state->on_signal(number);
      wait(state);
    });
  }
};

Signals::Signals(AsioLoop& loop, std::initializer_list<int> numbers,
                 std::function<void(int)> on_signal)
    : state_(std::make_shared<State>(loop)) {
  for (const int number : numbers) state_->set.add(number);
  state_->on_signal = std::move(on_signal);
  State::wait(state_);
}

Signals::~Signals() {
  state_->on_signal = nullptr;
  state_->set.cancel();
}

namespace {

void mask(int how, int number) noexcept {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, number);
  ::pthread_sigmask(how, &one, nullptr);
}

}  // namespace

void hold_signal(int number) noexcept { mask(SIG_BLOCK, number); }
void release_signal(int number) noexcept { mask(SIG_UNBLOCK, number); }

void ignore_broken_pipes() noexcept { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace penstock::runtime
