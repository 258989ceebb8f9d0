#include "net/tcp_stream.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include "net/byte_stream.h"
#include "runtime/asio_loop.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/socket/loop_thread.h"

namespace penstock::net {
namespace {

using boost::asio::ip::tcp;

// Two connected sockets whose writing end has almost no room in the kernel.
Pair make_narrow_pair(runtime::AsioLoop& loop) {
  auto& context = loop.context();
  boost::asio::ip::tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
  TcpSocket near(context.get_executor());
  near.open(tcp::v4());
  near.set_option(boost::asio::socket_base::send_buffer_size(4096));
  near.connect(acceptor.local_endpoint());
  TcpSocket far(context.get_executor());
  acceptor.accept(far);
  return {std::make_unique<TcpStream>(std::move(near)),
          std::make_unique<TcpStream>(std::move(far))};
}

runtime::Task<void> write_pieces(ByteStream& stream, std::string bytes, IoResult& result) {
  const std::string_view all = bytes;
  const std::array pieces = {all.substr(0, 1), all.substr(1, 70'000), all.substr(70'001)};
  result = co_await Write(stream, pieces);
  stream.shut_down_writing();
}

runtime::Task<void> slow_reader_gets_all(runtime::AsioLoop& loop) {
  const Pair pair = make_narrow_pair(loop);
  std::string sent(1'000'000, 'x');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>('a' + i % 23);
  IoResult written;
  runtime::TaskGroup writing;
  writing.spawn(write_pieces(*pair.client, sent, written));
  EXPECT_EQ(writing.running(), 1U);  // the kernel did not take it all
  const Received got = co_await receive(*pair.server, sent.size() + 1);
  co_await writing.join();
  EXPECT_EQ(written.end, IoEnd::kOk);
  EXPECT_EQ(written.bytes, sent.size());
  EXPECT_EQ(got.end, IoEnd::kEof);
  EXPECT_TRUE(got.bytes == sent);
}

// A write larger than the kernel's room must go out whole, in order, at the reader's pace.
TEST(TcpStreamSocket, SlowReaderGetsEveryByteInOrder) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, slow_reader_gets_all(loop));
}

runtime::Task<void> cancelled_write(runtime::AsioLoop& loop) {
  const Pair pair = make_narrow_pair(loop);
  IoResult written;
  runtime::TaskGroup writing;
  writing.spawn(write_pieces(*pair.client, std::string(1'000'000, 'x'), written));
  pair.client->cancel();
  co_await writing.join();
  EXPECT_EQ(written.end, IoEnd::kCancelled);
  EXPECT_LT(written.bytes, 1'000'000U);
}

// A client that reads nothing must not keep a cancelled write alive.
TEST(TcpStreamSocket, CancelEndsAWriteThatWaits) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, cancelled_write(loop));
}

runtime::Task<void> read_into(ByteStream& stream, IoResult& result) {
  std::array<char, 16> memory;
  result = co_await Read(stream, memory);
}

runtime::Task<void> cancelled_read(runtime::AsioLoop& loop) {
  const Pair pair = make_narrow_pair(loop);
  IoResult read;
  IoResult written;
  runtime::TaskGroup tasks;
  tasks.spawn(write_pieces(*pair.client, std::string(1'000'000, 'x'), written));
  tasks.spawn(read_into(*pair.client, read));
  pair.client->cancel_read();
  const Received got = co_await receive(*pair.server, 1'000'001);
  co_await tasks.join();
  EXPECT_EQ(read.end, IoEnd::kCancelled);
  EXPECT_EQ(written.end, IoEnd::kOk);
  EXPECT_EQ(got.bytes.size(), 1'000'000U);
}

// Asio cancels both directions; a write that waits has to survive the end of a read.
TEST(TcpStreamSocket, CancelReadLeavesTheWriteGoing) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, cancelled_read(loop));
}

runtime::Task<void> reset_seen(runtime::AsioLoop& loop) {
  Pair pair = make_narrow_pair(loop);
  pair.client->reset_on_close();
  pair.client.reset();
  const Received got = co_await receive(*pair.server, 1);
  EXPECT_EQ(got.end, IoEnd::kReset);
}

// A reply that is cut must not look like one that ended.
TEST(TcpStreamSocket, ResetOnCloseIsSeenAsAReset) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, reset_seen(loop));
}

}  // namespace
}  // namespace penstock::net
