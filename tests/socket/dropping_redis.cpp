#include "tests/socket/dropping_redis.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/result.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/thread.h"

namespace penstock::test {

DroppingRedis::DroppingRedis(const Clock& clock) : loop_(clock), resolver_(clock) {
  dropping_.spawn(drop());
  thread_ = runtime::Thread("redis-proxy", [this] { loop_.run(); });
}

std::string DroppingRedis::url() const {
  return fmt::format("redis://127.0.0.1:{}", proxy_.port());
}

void DroppingRedis::end() {
  ended_ = true;
  thread_.join();
}

runtime::Task<void> DroppingRedis::drop() {
  constexpr std::uint32_t kLongest = 12;  // bytes of the reply that still come
  while (!ended_) {
    runtime::Alarm alarm(loop_);
    ignore(co_await alarm.until(loop_.clock().now() + 900ms), "the time came");
    proxy_.cut_after(drops_++ % kLongest);
  }
  co_await proxy_.close();
  loop_.stop();
}

}  // namespace penstock::test
