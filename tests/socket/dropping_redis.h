#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "runtime/asio_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/thread.h"
#include "tests/socket/redis_proxy.h"
#include "tests/socket/redis_server.h"

namespace penstock::test {

// A Redis whose connections break about once a second in the middle of a reply, with a thread of
// its own. end() comes last.
class DroppingRedis {
 public:
  explicit DroppingRedis(const Clock& clock);

  [[nodiscard]] std::string url() const;
  // As RedisServer::ask: past the proxy.
  [[nodiscard]] std::string ask(std::string_view command) const { return server_.ask(command); }
  [[nodiscard]] std::uint32_t drops() const noexcept { return drops_.load(); }
  void end();

 private:
  runtime::Task<void> drop();

  store::redis::RedisServer server_;
  runtime::AsioLoop loop_;
  net::SystemResolver resolver_;
  net::TcpDialer dialer_{resolver_};
  store::redis::RedisProxy proxy_{loop_, dialer_, server_.port()};
  std::atomic<bool> ended_ = false;
  std::atomic<std::uint32_t> drops_ = 0;
  runtime::TaskGroup dropping_;
  runtime::Thread thread_;
};

}  // namespace penstock::test
