#include "tests/socket/redis_proxy.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "net/address.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/listen_socket.h"
#include "net/tcp_listener.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/redis/reply_parser.h"
#include "tests/socket/loop_thread.h"

namespace penstock::store::redis {

using runtime::Task;

struct RedisProxy::Relay {
  std::unique_ptr<net::ByteStream> client;
  std::unique_ptr<net::ByteStream> server;
  int replies = 0;

  void cancel() const {
    client->cancel();
    server->cancel();
  }
};

namespace {

constexpr int kGreetingReplies = 2;

}  // namespace

RedisProxy::RedisProxy(runtime::AsioLoop& loop, net::Dialer& dialer, std::uint16_t redis)
    : loop_(loop), dialer_(dialer), redis_(redis) {
  Result<net::ListenSet> set = net::listen_on(net::Address{.ip = {127, 0, 0, 1}}, 1);
  if (!set) std::abort();
  port_ = set->bound.port;
  listener_ = std::make_unique<net::TcpListener>(
      loop, std::move(set->sockets.front()),
      [this](std::unique_ptr<net::ByteStream> client) { relays_.spawn(relay(std::move(client))); },
      net::ListenerOptions());
}

Task<void> RedisProxy::close() {
  listener_->stop();
  co_await listener_->join();
  stop_.request(runtime::StopReason::kShutdown);
  for (const Relay* relay : open_) relay->cancel();
  co_await relays_.join();
}

Task<void> RedisProxy::relay(std::unique_ptr<net::ByteStream> client) {
  const net::Origin origin{.host = "127.0.0.1", .port = redis_};
  const runtime::CallContext context{stop_};
  net::Dialled dialled = co_await dialer_.dial(loop_, origin, 1s, context);
  if (dialled.stream == nullptr) co_return;
  Relay relay{std::move(client), std::move(dialled.stream)};
  open_.push_back(&relay);
  runtime::TaskGroup both;
  both.spawn(pass_commands(relay));
  both.spawn(pass_replies(relay));
  co_await both.join();
  std::erase(open_, &relay);
}

Task<void> RedisProxy::pass_commands(Relay& relay) {
  std::array<char, 65536> memory;
  for (;;) {
    const net::IoResult got = co_await net::Read(*relay.client, memory);
    if (got.end != net::IoEnd::kOk) break;
    const std::string_view bytes(memory.data(), got.bytes);
    const net::IoResult sent = co_await net::send(*relay.server, bytes);
    if (sent.end != net::IoEnd::kOk) break;
  }
  relay.cancel();
}

Task<void> RedisProxy::pass_replies(Relay& relay) {
  std::array<char, 65536> memory;
  ReplyParser parser;
  std::string reply;
  bool fine = true;
  while (fine) {
    const net::IoResult got = co_await net::Read(*relay.server, memory);
    if (got.end != net::IoEnd::kOk) break;
    std::string_view bytes(memory.data(), got.bytes);
    while (fine && !bytes.empty()) {
      const std::string_view before = bytes;
      const ReplyParser::Step step = parser.next(bytes);
      reply.append(before.substr(0, before.size() - bytes.size()));
      if (step == ReplyParser::Step::kMore) break;
      const std::string whole = std::exchange(reply, {});
      const bool greeting = ++relay.replies <= kGreetingReplies;
      std::vector<std::string> writes = {whole};
      if (!greeting) writes = done_to(whole);
      for (const std::string& write : writes) {
        if (write.empty() || !fine) continue;
        const net::IoResult sent = co_await net::send(*relay.client, write);
        fine = sent.end == net::IoEnd::kOk;
      }
      if (std::exchange(cut_, false)) fine = false;
    }
  }
  relay.cancel();
}

std::vector<std::string> RedisProxy::done_to(const std::string& reply) {
  const std::string before = std::exchange(last_reply_, reply);
  const Mischief mischief = mischief_;
  if (mischief != Mischief::kByteByByte && mischief != Mischief::kSwap) mischief_ = Mischief::kNone;
  std::vector<std::string> bytes;
  switch (mischief) {
    case Mischief::kNone: return {reply};
    case Mischief::kByteByByte:
      for (const char byte : reply) bytes.emplace_back(1, byte);
      return bytes;
    case Mischief::kCut: cut_ = true; return {reply.substr(0, cut_after_)};
    case Mischief::kSwap:
      if (held_.empty()) {
        held_ = reply;
        return {};
      }
      mischief_ = Mischief::kNone;
      return {reply + std::exchange(held_, {})};
    case Mischief::kStale: return {before};
    case Mischief::kTwice: return {reply + reply};
    case Mischief::kGarbage: return {"HTTP/1.1 200 OK\r\n"};
  }
  return {};
}

}  // namespace penstock::store::redis
