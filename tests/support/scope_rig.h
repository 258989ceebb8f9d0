#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/seams.h"
#include "gateway/refusal.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "runtime/task.h"
#include "tests/support/loopback.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"
#include "tests/support/scripted_rng.h"

// One request in the hands of a test of gateway/, without the pipeline around it.
namespace penstock::test {

class ScopeRig final : public net::Handler {
 public:
  using Look = std::function<void(gateway::RequestScope&)>;

  // draws: behind the two that each request's id takes. `snapshot` is changed before the first
  // request only.
  explicit ScopeRig(std::vector<std::uint64_t> draws = std::vector<std::uint64_t>())
      : draws_(std::move(draws)) {}

  // Sends this request head and lets `look` at its scope; then answers with `error` as the
  // gateway does, or with 200 and the text "ok". The reply's bytes.
  std::string ask(std::string_view head, Look look, std::optional<Error> error = std::nullopt) {
    if (worker_ == nullptr) start();
    look_ = std::move(look);
    error_ = std::move(error);
    LoopbackPair pair = loopback(loop);
    server_->accept(std::move(pair.server));
    Peer client(loop, std::move(pair.client));
    client.send(head);
    loop.run_until_idle();
    std::string reply = client.take();
    client.leave();
    loop.run_until_idle();
    return reply;
  }

  [[nodiscard]] runtime::Task<void> serve(net::Exchange& exchange) override {
    gateway::RequestScope scope(*worker_, exchange);
    look_(scope);
    if (error_) {
      co_await gateway::refuse_request(scope, *error_);
      co_return;
    }
    const std::string_view body[] = {"ok"};
    const net::IoEnd end = co_await exchange.reply("HTTP/1.1 200 OK\r\n", body);
    EXPECT_EQ(end, net::IoEnd::kOk);
  }
  [[nodiscard]] runtime::Task<void> refuse(net::Exchange& exchange, Error) override {
    ADD_FAILURE() << "the test's head is malformed";
    exchange.break_off();
    co_return;
  }

  ManualLoop loop;
  LoopbackNet net{loop};
  std::shared_ptr<gateway::Snapshot> snapshot = std::make_shared<gateway::Snapshot>();
  gateway::Process process{gateway::LimitsConfig()};

 private:
  class Dropped final : public LogSink {
    void write(std::string_view) noexcept override {}
  };

  void start() {
    auto rng = std::make_unique<ScriptedRng>(std::initializer_list<std::uint64_t>{0xa, 0xb});
    for (const std::uint64_t drawn : draws_) rng->add(drawn);
    worker_ = std::make_unique<gateway::Worker>(process, loop, net, std::move(rng),
                                                gateway::Logs{log_, log_, log_}, snapshot);
    server_ = std::make_unique<net::HttpServer>(loop, *this, net::ServerOptions());
  }

  std::vector<std::uint64_t> draws_;
  Dropped log_;
  Look look_;
  std::optional<Error> error_;

  std::unique_ptr<gateway::Worker> worker_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace penstock::test
