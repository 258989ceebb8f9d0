#pragma once

#include <cstdint>
#include <memory>

#include "base/byte_budget.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "net/tcp_listener.h"
#include "runtime/asio_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/thread.h"

namespace penstock::test {

// A provider on a real socket of loopback, with a thread of its own. What it answers is serve()'s
// business, which runs on that thread. The owner calls start() and, last, end().
class HttpProvider : public net::Handler {
 public:
  explicit HttpProvider(const Clock& clock);

  // Listens on a free port. Aborts the test where there is none.
  void start();
  // Cuts what is served and joins the thread.
  void end();
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  [[nodiscard]] runtime::Task<void> refuse(net::Exchange& exchange, Error error) override;

 protected:
  [[nodiscard]] runtime::AsioLoop& loop() noexcept { return loop_; }
  [[nodiscard]] net::BodyLimits body_limits() noexcept { return {memory_, 1 << 20, 10s}; }

 private:
  runtime::Task<void> ended();

  runtime::AsioLoop loop_;
  net::HttpServer server_;
  ByteBudget memory_{1_GiB};
  std::unique_ptr<net::TcpListener> listener_;
  std::uint16_t port_ = 0;
  runtime::TaskGroup ending_;
  runtime::Thread thread_;
};

}  // namespace penstock::test
