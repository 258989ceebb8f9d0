#include "lab/mock_connection.h"

#include <memory>
#include <utility>

#include "base/error.h"
#include "lab/faulty_stream.h"
#include "lab/mock_call.h"
#include "lab/mock_control.h"
#include "lab/mock_path.h"
#include "lab/mock_reply.h"
#include "lab/mock_state.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "runtime/event_loop.h"

namespace penstock::lab {

using runtime::Task;

MockConnection::MockConnection(MockState& state, runtime::EventLoop& loop)
    : state_(state),
      loop_(loop),
      server_(loop, *this, net::ServerOptions{.head = {}, .keep_alive = 10min}),
      refusable_(state.refusing()) {
  state.stats.connection_opened();
}

MockConnection::~MockConnection() { state_.stats.connection_closed(); }

Task<void> MockConnection::run(std::unique_ptr<net::ByteStream> stream) {
  auto faulty = std::make_unique<FaultyStream>(std::move(stream));
  stream_ = faulty.get();
  server_.accept(std::move(faulty));
  co_await server_.join();
}

// A refused connection is reset when its first request is known, since /mock/ is never refused.
Task<void> MockConnection::serve(net::Exchange& exchange) {
  const MockPath path = mock_path(exchange.head().target);
  stream_->plan({});
  if (is_control(path)) co_return co_await serve_control(state_, exchange, path);
  if (std::exchange(refusable_, false) && state_.take_refusal()) co_return exchange.break_off();
  MockCall call(state_, loop_, exchange, *stream_, path);
  co_await call.run();
}

Task<void> MockConnection::refuse(net::Exchange& exchange, Error error) {
  stream_->plan({});
  co_await reply_error(exchange, std::move(error));
}

}  // namespace penstock::lab
