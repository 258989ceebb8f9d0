#include "tests/socket/loop_thread.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/units.h"
#include "net/address.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/listen_socket.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "net/tcp_listener.h"
#include "net/tls.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/timer.h"

namespace penstock::net {
namespace {

runtime::Task<void> run_and_stop(runtime::AsioLoop& loop, runtime::Task<void> task, bool& ended) {
  co_await std::move(task);
  ended = true;
  loop.stop();
}

}  // namespace

void run_to_end(runtime::AsioLoop& loop, runtime::Task<void> task) {
  runtime::Timer guard(
      loop.timers(), [](void*) { ADD_FAILURE() << "not ended after 20 s", std::abort(); }, nullptr);
  guard.arm(loop.clock().now() + 20s);
  bool ended = false;
  runtime::TaskGroup group;
  group.spawn(run_and_stop(loop, std::move(task), ended));
  loop.context().restart();  // a test may come here again
  loop.run();
  ASSERT_TRUE(ended);
}

OneListener::OneListener(runtime::AsioLoop& loop, ListenerOptions options) {
  Result<ListenSet> set = listen_on(Address{.ip = {127, 0, 0, 1}}, 1);
  if (!set) std::abort();
  bound = set->bound;
  listener = std::make_unique<TcpListener>(
      loop, std::move(set->sockets.front()),
      [this](std::unique_ptr<ByteStream> stream) {
        taken = std::move(stream);
        arrived.raise();
      },
      options);
}

runtime::Task<void> OneListener::close() {
  listener->stop();
  co_await listener->join();
}

runtime::Task<Dialled> dial_here(runtime::AsioLoop& loop, Origin origin, Duration timeout,
                                 runtime::CallContext context) {
  SystemResolver resolver(loop.clock(), [](const std::string&) {
    return Result<std::vector<Address>>({Address{.ip = {127, 0, 0, 1}}});
  });
  TcpDialer dialer(resolver);
  co_return co_await dialer.dial(loop, origin, timeout, context);
}

runtime::Task<Pair> connect_pair(runtime::AsioLoop& loop, std::string host, const TlsClient* client,
                                 const TlsServer* server) {
  OneListener listener(loop, ListenerOptions{.tls = server});
  runtime::Cancellation cancellation;
  const runtime::CallContext context{cancellation};
  Origin origin{.host = std::move(host), .port = listener.bound.port, .tls = client};
  Dialled dialled = co_await dial_here(loop, std::move(origin), 10s, context);
  EXPECT_EQ(dialled.end, DialEnd::kConnected) << dialled.detail;
  if (dialled.stream != nullptr) co_await listener.arrived;
  co_await listener.close();
  co_return Pair{std::move(dialled.stream), std::move(listener.taken)};
}

runtime::Task<Received> receive(ByteStream& stream, std::size_t size) {
  Received received;
  std::array<char, 4096> memory;
  while (received.bytes.size() < size) {
    const IoResult got = co_await Read(stream, memory);
    received.end = got.end;
    if (got.end != IoEnd::kOk) break;
    received.bytes.append(memory.data(), got.bytes);
  }
  co_return received;
}

runtime::Task<IoResult> send(ByteStream& stream, std::string_view bytes) {
  const std::array pieces = {bytes};
  co_return co_await Write(stream, pieces);
}

}  // namespace penstock::net
