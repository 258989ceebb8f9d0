#pragma once

#include <memory>

#include "lab/faulty_stream.h"
#include "lab/mock_state.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::lab {

// One connection to the mock. It has a server of its own, so that a fault can get at the stream.
class MockConnection final : private net::Handler {
 public:
  // state: outlives the connection.
  MockConnection(MockState& state, runtime::EventLoop& loop);
  MockConnection(const MockConnection&) = delete;
  MockConnection& operator=(const MockConnection&) = delete;
  ~MockConnection() override;

  // Serves the stream until either side closes it. Once.
  [[nodiscard]] runtime::Task<void> run(std::unique_ptr<net::ByteStream> stream);
  // Closes it now, whatever it is doing; run() ends soon.
  void abort() noexcept { server_.abort(); }

 private:
  [[nodiscard]] runtime::Task<void> serve(net::Exchange& exchange) override;
  [[nodiscard]] runtime::Task<void> refuse(net::Exchange& exchange, Error error) override;

  MockState& state_;
  runtime::EventLoop& loop_;
  net::HttpServer server_;
  FaultyStream* stream_ = nullptr;  // the server's
  bool refusable_;  // it came while connections were being refused, and was not refused yet
};

}  // namespace penstock::lab
