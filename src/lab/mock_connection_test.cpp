#include "lab/mock_connection.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lab/mock_state.h"
#include "net/byte_stream.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/support/loopback.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"

namespace penstock::lab {
namespace {

using test::ManualLoop;
using test::Peer;

constexpr std::string_view kBody =
    R"({"model":"m","messages":[{"role":"user","content":"hello"}]})";
constexpr std::string_view kStreamBody =
    R"({"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]})";

std::string post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}
std::string chat(std::string_view body = kBody) { return post("/v1/chat/completions", body); }
std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n\r\n";
}

// The mock on connections in memory. At its end nothing may be left running.
struct MockRig {
  MockRig() = default;
  MockRig(const MockRig&) = delete;
  MockRig& operator=(const MockRig&) = delete;
  ~MockRig() {
    for (MockConnection* const connection : open) connection->abort();
    loop.advance(8ms);
    EXPECT_EQ(tasks.running(), 0U);
    EXPECT_EQ(loop.timers().armed(), 0U);
  }

  static runtime::Task<void> serve(MockRig& rig, std::unique_ptr<net::ByteStream> stream) {
    MockConnection connection(rig.state, rig.loop);
    rig.open.push_back(&connection);
    co_await connection.run(std::move(stream));
    std::erase(rig.open, &connection);
  }
  [[nodiscard]] std::unique_ptr<Peer> connect() {
    test::LoopbackPair pair = test::loopback(loop);
    tasks.spawn(serve(*this, std::move(pair.server)));
    return std::make_unique<Peer>(loop, std::move(pair.client));
  }
  // Sends on a new connection and lets happen what needs no time; the connection stays.
  [[nodiscard]] std::unique_ptr<Peer> ask(std::string_view bytes) {
    std::unique_ptr<Peer> peer = connect();
    peer->send(bytes);
    loop.run_until_idle();
    return peer;
  }
  void fault(std::string_view json) {
    EXPECT_TRUE(ask(post("/mock/fault", json))->received().starts_with("HTTP/1.1 200"));
    loop.run_until_idle();
  }

  ManualLoop loop;
  MockState state{""};
  runtime::TaskGroup tasks;
  std::vector<MockConnection*> open;
};

bool has(const Peer& peer, std::string_view part) {
  return peer.received().find(part) != std::string::npos;
}
bool complete_stream(const Peer& peer) {
  return peer.received().ends_with("[DONE]\n\n\r\n0\r\n\r\n");
}

// The same request has the same bytes for an answer, under any base path, on one connection too.
TEST(MockConnection, AnswersTheSameWithTheSame) {
  MockRig rig;
  const auto first = rig.ask(chat());
  EXPECT_TRUE(has(*first, "\"completion_tokens\":16"));
  const std::string reply = first->take();
  first->send(post("/openai/v1/chat/completions", kBody));
  rig.loop.run_until_idle();
  EXPECT_EQ(first->received(), reply);
  const auto stream = rig.ask(chat(kStreamBody));
  EXPECT_TRUE(complete_stream(*stream));
}

// Every endpoint that a client library or a balancer touches.
TEST(MockConnection, ServesItsEndpoints) {
  MockRig rig;
  for (const std::string path : {"/v1/models", "/v1/models/x", "/health", "/livez", "/mock/stats"})
    EXPECT_TRUE(rig.ask(get(path))->received().starts_with("HTTP/1.1 200")) << path;
  EXPECT_TRUE(rig.ask(get("/nowhere"))->received().starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(rig.ask(get("/v1/chat/completions"))->received().starts_with("HTTP/1.1 405"));
  EXPECT_TRUE(rig.ask(chat("{"))->received().starts_with("HTTP/1.1 400"));
  const auto vectors = rig.ask(
      post("/v1/embeddings", R"({"model":"m","input":["a","b"],"encoding_format":"base64"})"));
  EXPECT_TRUE(has(*vectors, "\"index\":1"));
}

// Faults are replaced, read back and cleared; a wrong one changes nothing.
TEST(MockConnection, TakesFaultsOverHttp) {
  MockRig rig;
  rig.fault(R"({"status":503})");
  EXPECT_TRUE(rig.ask(chat())->received().starts_with("HTTP/1.1 503"));
  const auto wrong = rig.ask(post("/mock/fault", R"({"statu":1})"));
  EXPECT_TRUE(wrong->received().starts_with("HTTP/1.1 400"));
  EXPECT_TRUE(has(*rig.ask(get("/mock/fault")), R"({"status":503})"));
  rig.fault(R"({"body":"<p>","status":200})");
  EXPECT_TRUE(rig.ask(chat())->received().ends_with("\r\n\r\n<p>"));
  rig.fault("{}");
  EXPECT_TRUE(rig.ask(chat())->received().starts_with("HTTP/1.1 200"));
}

// Latency is before the head, the first token after it, the rest between tokens.
TEST(MockConnection, WaitsWhereItIsTold) {
  MockRig rig;
  rig.fault(R"({"latency_ms":100,"first_token_ms":200,"inter_token_ms":50,"tokens":3})");
  const auto peer = rig.ask(chat(kStreamBody));
  EXPECT_EQ(peer->received(), "");
  rig.loop.advance(110ms);
  EXPECT_TRUE(has(*peer, "\"role\"") && !has(*peer, "{\"content\""));
  rig.loop.advance(210ms);
  EXPECT_TRUE(has(*peer, "{\"content\""));
  EXPECT_FALSE(complete_stream(*peer));
  rig.loop.advance(110ms);
  EXPECT_TRUE(complete_stream(*peer));
}

// The ways a reply breaks, each seen from the wire.
TEST(MockConnection, BreaksAsTold) {
  MockRig rig;
  rig.fault(R"({"reset_after_bytes":0})");
  const auto before = rig.ask(chat());
  EXPECT_TRUE(before->was_reset());
  EXPECT_EQ(before->received(), "");
  rig.fault(R"({"reset_after_bytes":300})");
  EXPECT_TRUE(rig.ask(chat(kStreamBody))->was_reset());
  rig.fault(R"({"cut_after_chunks":2})");
  const auto cut = rig.ask(chat(kStreamBody));
  EXPECT_TRUE(cut->closed());
  EXPECT_FALSE(has(*cut, "[DONE]") || cut->received().ends_with("0\r\n\r\n"));
  rig.fault(R"({"stall_after_chunks":1})");
  const auto stalled = rig.ask(chat(kStreamBody));
  rig.loop.advance(10min);
  EXPECT_TRUE(has(*stalled, "\"role\"") && !stalled->over());
  rig.fault(R"({"hang":true})");
  const auto hanging = rig.ask(chat());
  rig.loop.advance(10min);
  EXPECT_TRUE(hanging->received().empty() && !hanging->over());
}

// Byte by byte the reply is the same in the end.
TEST(MockConnection, SendsAByteAPacket) {
  MockRig rig;
  const auto whole = rig.ask(chat(kStreamBody));
  rig.fault(R"({"one_byte_packets":true})");
  EXPECT_EQ(rig.ask(chat(kStreamBody))->received(), whole->received());
}

// New connections are reset, as many as told; control is never.
TEST(MockConnection, RefusesNewConnections) {
  MockRig rig;
  const auto old = rig.connect();
  rig.fault(R"({"refuse":2})");
  EXPECT_TRUE(rig.ask(get("/mock/stats"))->received().starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(rig.ask(chat())->was_reset());
  old->send(chat());
  rig.loop.run_until_idle();
  EXPECT_TRUE(old->received().starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(rig.ask(chat())->was_reset());
  EXPECT_TRUE(rig.ask(chat())->received().starts_with("HTTP/1.1 200"));
}

// Probes are content while clients are not.
TEST(MockConnection, StaysHealthyButFails) {
  MockRig rig;
  rig.fault(R"({"healthy_but_failing":true,"latency_ms":10})");
  EXPECT_TRUE(rig.ask(get("/health"))->received().starts_with("HTTP/1.1 200"));
  const auto failing = rig.ask(chat());
  rig.loop.advance(20ms);
  EXPECT_TRUE(failing->received().starts_with("HTTP/1.1 500"));
}

// With one slot the second waits for the first, and one that leaves gives its turn up.
TEST(MockConnection, ServesAsManyAsThereAreSlots) {
  MockRig rig;
  rig.fault(R"({"slots":1,"latency_ms":100})");
  const auto first = rig.ask(chat());
  const auto leaver = rig.ask(chat());
  const auto last = rig.ask(chat());
  leaver->leave();
  rig.loop.advance(110ms);
  EXPECT_TRUE(has(*first, "200 OK") && last->received().empty());
  rig.loop.advance(110ms);
  EXPECT_TRUE(has(*last, "200 OK"));
}

// Who leaves early is counted, and so are tokens and models.
TEST(MockConnection, Counts) {
  MockRig rig;
  EXPECT_TRUE(has(*rig.ask(chat()), "200 OK"));
  rig.fault(R"({"inter_token_ms":1000})");
  rig.ask(chat(kStreamBody))->leave();
  rig.loop.advance(8ms);
  const auto stats = rig.ask(get("/mock/stats"));
  for (const std::string_view part :
       {R"("requests":2)", R"("by_model":{"m":2})", R"("streams":1)", R"("tokens_in":2)",
        R"("tokens_out":17)", R"("cancelled":1)", R"("in_flight":0)"})
    EXPECT_TRUE(has(*stats, part)) << part << " in " << stats->received();
  const auto reset = rig.ask(post("/mock/reset", ""));
  EXPECT_TRUE(has(*rig.ask(get("/mock/stats")), "\"requests\":0"));
}

// A key, when one was set, must be there; control and health need none.
TEST(MockConnection, AsksForItsKey) {
  MockRig rig;
  MockState locked("secret");
  std::unique_ptr<Peer> peer;
  const auto ask = [&](const std::string& field) {
    test::LoopbackPair pair = test::loopback(rig.loop);
    peer = std::make_unique<Peer>(rig.loop, std::move(pair.client));
    peer->send("GET /v1/models HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" + field + "\r\n");
    MockConnection connection(locked, rig.loop);
    rig.tasks.spawn(connection.run(std::move(pair.server)));
    rig.loop.run_until_idle();
    return peer->received().substr(9, 3);
  };
  EXPECT_EQ(ask(""), "401");
  EXPECT_EQ(ask("authorization: Bearer wrong\r\n"), "401");
  EXPECT_EQ(ask("authorization: Bearer secret\r\n"), "200");
  EXPECT_EQ(ask("api-key: secret\r\n"), "200");
}

}  // namespace
}  // namespace penstock::lab
