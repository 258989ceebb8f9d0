#pragma once

#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <pthread.h>

namespace penstock::runtime {

// A named thread that is asked to stop and joined when it ends. The only way to start one.
class Thread {
 public:
  Thread() = default;

  // name:  shown by the system's tools; its first 15 bytes are used.
  // body:  run on the new thread; takes a std::stop_token or nothing.
  template <class Body>
  Thread(std::string name, Body body)
      : thread_([name = name.substr(0, 15), body = std::move(body)](std::stop_token stop) mutable {
          pthread_setname_np(pthread_self(), name.c_str());
          if constexpr (std::is_invocable_v<Body&, std::stop_token>)
            body(std::move(stop));
          else
            body();
        }) {}

  void request_stop() noexcept { thread_.request_stop(); }
  [[nodiscard]] bool joinable() const noexcept { return thread_.joinable(); }
  void join() { thread_.join(); }

 private:
  std::jthread thread_;
};

}  // namespace penstock::runtime
