#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/byte_budget.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/units.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "tests/support/loopback.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"

// A server over connections in memory, for the tests of net/.
namespace penstock::test {

// A handler that does what a test says and keeps what it saw.
class RigHandler final : public net::Handler {
 public:
  using Serve = runtime::Task<void> (*)(RigHandler&, net::Exchange&);
  explicit RigHandler(ManualLoop& on) : loop(on), release(on) {}

  [[nodiscard]] runtime::Task<void> serve(net::Exchange& exchange) override {
    ++served;
    if (exchange.late()) ++late;
    return how(*this, exchange);
  }
  [[nodiscard]] runtime::Task<void> refuse(net::Exchange& exchange, Error error) override {
    refused.push_back(error.code);
    const std::string head = "HTTP/1.1 " + std::to_string(error.http_status()) + " Refused\r\n";
    ends.push_back(co_await exchange.reply(head, {}));
  }
  [[nodiscard]] net::BodyLimits limits() {
    return net::BodyLimits{.memory = memory, .bytes_max = body_bytes_max, .wait = body_wait};
  }

  // Answers 200 with "METHOD TARGET BODY", or the status of what was wrong with the body.
  static runtime::Task<void> echo(RigHandler& self, net::Exchange& exchange);
  // As echo, but waits for `release` or the end of the request first; a departed client gets
  // nothing.
  static runtime::Task<void> hold(RigHandler& self, net::Exchange& exchange);
  // Answers 200 "ok" without looking at the body.
  static runtime::Task<void> ignore_body(RigHandler& self, net::Exchange& exchange);
  // Sends `pieces` one by one as a stream.
  static runtime::Task<void> stream(RigHandler& self, net::Exchange& exchange);

  ManualLoop& loop;
  Serve how = &RigHandler::echo;
  ByteBudget memory{1_MiB};
  std::size_t body_bytes_max = 100'000;
  Duration body_wait = 60s;
  std::vector<std::string> pieces;

  int served = 0;
  int late = 0;                              // of those
  std::vector<ErrorCode> refused;            // heads
  std::vector<ErrorCode> failed;             // bodies
  std::vector<net::IoEnd> ends;              // of each reply or write
  std::vector<runtime::StopReason> stopped;  // what each request was told at its end
  runtime::Alarm release;
};

inline runtime::Task<void> RigHandler::echo(RigHandler& self, net::Exchange& exchange) {
  const Result<std::string_view> body = co_await exchange.read_body(self.limits());
  if (!body) {
    self.failed.push_back(body.error().code);
    const std::string head =
        "HTTP/1.1 " + std::to_string(body.error().http_status()) + " Failed\r\n";
    self.ends.push_back(co_await exchange.reply(head, {}));
    co_return;
  }
  exchange.watch_client();
  const wire::RequestHead& asked = exchange.head();
  const std::string_view answer[] = {asked.method, " ", asked.target, " ", *body};
  self.ends.push_back(co_await exchange.reply("HTTP/1.1 200 OK\r\n", answer));
  self.stopped.push_back(exchange.cancellation().reason());
}

inline runtime::Task<void> RigHandler::hold(RigHandler& self, net::Exchange& exchange) {
  const Result<std::string_view> body = co_await exchange.read_body(self.limits());
  exchange.watch_client();
  if (!exchange.cancellation().requested()) {
    const runtime::CancellationHook hook(
        exchange.cancellation(),
        [](void* alarm) { static_cast<runtime::Alarm*>(alarm)->wake_soon(); }, &self.release);
    const bool woken = co_await self.release.until(self.loop.now() + 1h);
    EXPECT_TRUE(woken);
  }
  self.stopped.push_back(exchange.cancellation().reason());
  if (self.stopped.back() == runtime::StopReason::kClientGone) co_return;
  const std::string_view answer[] = {body.value()};
  self.ends.push_back(co_await exchange.reply("HTTP/1.1 200 OK\r\n", answer));
}

inline runtime::Task<void> RigHandler::ignore_body(RigHandler& self, net::Exchange& exchange) {
  const std::string_view answer[] = {"ok"};
  self.ends.push_back(co_await exchange.reply("HTTP/1.1 200 OK\r\n", answer));
}

inline runtime::Task<void> RigHandler::stream(RigHandler& self, net::Exchange& exchange) {
  exchange.watch_client();
  exchange.begin("HTTP/1.1 200 OK\r\n", net::ReplyFraming{});
  for (const std::string& piece : self.pieces) {
    const std::string_view one[] = {piece};
    self.ends.push_back(co_await exchange.write(one));
    if (self.ends.back() != net::IoEnd::kOk) break;
  }
  self.stopped.push_back(exchange.cancellation().reason());
  if (self.ends.empty() || self.ends.back() == net::IoEnd::kOk)
    self.ends.push_back(co_await exchange.finish());
}

// The server and what it stands on. At its end nothing may be left running, armed or charged.
struct HttpRig {
  explicit HttpRig(net::ServerOptions options = net::ServerOptions())
      : server(loop, handler, options) {}
  HttpRig(const HttpRig&) = delete;
  HttpRig& operator=(const HttpRig&) = delete;
  ~HttpRig() {
    server.abort();
    loop.advance(8ms);  // handlers are woken within a tick
    EXPECT_EQ(server.connections(), 0U);
    EXPECT_EQ(loop.timers().armed(), 0U);
    EXPECT_EQ(handler.memory.used(), 0_B);
  }

  [[nodiscard]] std::unique_ptr<Peer> connect(LoopbackOptions to_server = LoopbackOptions(),
                                              LoopbackOptions to_client = LoopbackOptions(),
                                              Peer::Reading reading = Peer::Reading::kAlways) {
    LoopbackPair pair = loopback(loop, to_server, to_client);
    server.accept(std::move(pair.server));
    return std::make_unique<Peer>(loop, std::move(pair.client), reading);
  }
  // Sends and lets everything happen that needs no time.
  void send(Peer& client, std::string_view bytes) {
    client.send(bytes);
    loop.run_until_idle();
  }

  ManualLoop loop;
  RigHandler handler{loop};
  net::HttpServer server;
};

// A whole reply as Exchange writes it. fields: each with its line end.
[[nodiscard]] inline std::string reply_text(std::string_view body,
                                            std::string_view fields = std::string_view()) {
  return "HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(body.size()) + "\r\n" +
         std::string(fields) + "\r\n" + std::string(body);
}

}  // namespace penstock::test
