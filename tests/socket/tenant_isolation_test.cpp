// A hundred tenants whose every request is marked, through one gateway on real sockets, while
// clients leave, providers cut connections, and connections are shared by whoever comes next: no
// mark is ever seen by anybody but its sender, nor in a log.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/result.h"
#include "base/units.h"
#include "crypto/hex.h"
#include "crypto/sha256.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/exchange.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/signals.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "tests/socket/http_caller.h"
#include "tests/socket/http_load.h"
#include "tests/socket/http_provider.h"
#include "tests/socket/whole_gateway.h"
#include "tests/support/departure.h"
#include "tests/support/seeded_rng.h"

namespace penstock {
namespace {

using runtime::Task;

constexpr std::uint32_t kTenants = 100;
constexpr std::uint32_t kClientThreads = 2;
constexpr std::uint32_t kClientsPerThread = 25;
constexpr std::uint32_t kCallsPerClient = 2000;  // 100,000 in all
constexpr std::string_view kMark = "<<mark-";

std::string secret_of(std::uint64_t tenant) { return fmt::format("sk-isolation-{}", tenant); }

// All marks in a text, without their brackets; one that is cut short counts too.
std::set<std::string, std::less<>> marks_in(std::string_view text) {
  std::set<std::string, std::less<>> found;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at)) {
    at += kMark.size();
    found.emplace(text.substr(at, text.find_first_not_of("0123456789-", at) - at));
  }
  return found;
}

// Whether a text holds a mark that is not (the beginning of) `own`.
bool holds_foreign(std::string_view text, std::string_view own) {
  for (const std::string& mark : marks_in(text))
    if (!own.starts_with(mark)) return true;
  return false;
}

// Says again what it was asked, as a stream in pieces or at once; breaks off every now and then.
class Echo final : public test::HttpProvider {
 public:
  using HttpProvider::HttpProvider;

  Task<void> serve(net::Exchange& exchange) override {
    const Result<std::string_view> body = co_await exchange.read_body(body_limits());
    if (!body) co_return exchange.break_off();
    const std::size_t at = body->find(kMark);
    if (at == std::string_view::npos) co_return exchange.break_off();
    const std::string said(body->substr(at, body->find('"', at) - at));
    if (body->contains("\"stream\":true")) co_return co_await stream(exchange, said);
    if (rng_.below(40) == 0) co_return exchange.break_off();
    const std::array<std::string_view, 3> pieces{
        R"({"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":")",
        said, R"("},"finish_reason":"stop"}]})"};
    ignore(co_await exchange.reply("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n", pieces),
           "the gateway may have left");
  }

 private:
  Task<void> stream(net::Exchange& exchange, const std::string& said) {
    exchange.begin("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n", net::ReplyFraming());
    const std::uint64_t cut = rng_.below(8) == 0 ? rng_.below(4) : 1000;
    for (std::size_t at = 0; at < said.size(); at += 16) {
      if (at / 16 == cut) co_return exchange.break_off();
      const std::string event = fmt::format(
          "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n",
          std::string_view(said).substr(at, 16));
      const std::array<std::string_view, 1> pieces{event};
      if (co_await exchange.write(pieces) != net::IoEnd::kOk) co_return;
      if (rng_.below(10) != 0) continue;
      runtime::Alarm alarm(loop());
      ignore(co_await alarm.until(loop().clock().now() + 1ms), "the time came");
    }
    const std::array<std::string_view, 1> last{
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
        "data: [DONE]\n\n"};
    ignore(co_await exchange.finish(last), "the gateway may have left");
  }

  test::SeededRng rng_{2};
};

struct Counts {
  std::atomic<std::uint32_t> own = 0;      // a whole reply with the caller's mark
  std::atomic<std::uint32_t> foreign = 0;  // must be none
  std::atomic<std::uint32_t> failed = 0;   // told of the provider's break-off
  std::atomic<std::uint32_t> left = 0;     // the client itself
  std::atomic<std::uint32_t> odd = 0;      // anything else
};

// Calls as one tenant after the other on the same connection.
class Client {
 public:
  Client(runtime::AsioLoop& loop, net::Dialer& dialer, std::uint16_t port, std::uint64_t number,
         std::uint64_t seed, Counts& counts)
      : loop_(loop), caller_(loop, dialer, port), number_(number), rng_(seed), counts_(counts) {}

  Task<void> run() {
    for (std::uint32_t i = 0; i < kCallsPerClient; ++i) co_await call(i);
    co_await caller_.close();
  }

 private:
  Task<void> call(std::uint32_t index) {
    const std::uint64_t tenant = rng_.below(kTenants);
    const std::string own = fmt::format("{}-{}-{}", tenant, number_, index);
    std::string said;
    for (std::uint64_t left = rng_.below(5) + 1; left > 0; --left)
      said += fmt::format("{}{}>>", kMark, own);
    const std::string body =
        fmt::format(R"({{"model":"m","stream":{},"messages":[{{"role":"user","content":"{}"}}]}})",
                    rng_.below(2) == 0, said);
    const std::string head = fmt::format(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\n"
        "authorization: Bearer {}\r\ncontent-length: {}\r\n\r\n",
        secret_of(tenant), body.size());
    const std::array<std::string_view, 2> pieces{head, body};
    test::Departure departure(loop_);
    if (rng_.below(6) == 0)
      departure.leave_at(loop_.clock().now() +
                         Duration(static_cast<std::int64_t>(rng_.below(4'000'000))));
    const std::optional<test::HttpCaller::Answer> answer =
        co_await caller_.ask(pieces, departure.cancellation());
    note(answer.value_or(test::HttpCaller::Answer()), own, said, departure.cancellation());
  }

  void note(const test::HttpCaller::Answer& answer, std::string_view own, std::string_view said,
            runtime::Cancellation& cancellation) {
    if (holds_foreign(answer.body, own)) {
      if (counts_.foreign++ == 0) ADD_FAILURE() << own << " was sent " << answer.body;
    } else if (answer.whole && answer.status == 200 && text_of(answer.body).contains(said)) {
      ++counts_.own;
    } else if (answer.whole && (answer.status == 502 || answer.body.contains("\"error\""))) {
      ++counts_.failed;
    } else if (cancellation.requested()) {
      ++counts_.left;
    } else if (counts_.odd++ == 0) {
      ADD_FAILURE() << own << ": status " << answer.status << ", whole " << answer.whole << ": "
                    << answer.body;
    }
  }

  // The contents of a reply, one behind the other.
  static std::string text_of(std::string_view body) {
    constexpr std::string_view kContent = R"("content":")";
    std::string text;
    for (std::size_t at = body.find(kContent); at != std::string_view::npos;
         at = body.find(kContent, at)) {
      at += kContent.size();
      text += body.substr(at, body.find('"', at) - at);
    }
    return text;
  }

  runtime::AsioLoop& loop_;
  test::HttpCaller caller_;
  std::uint64_t number_;
  test::SeededRng rng_;
  Counts& counts_;
};

std::string config_of(std::uint16_t provider, const std::string& log) {
  std::string text = fmt::format(
      "version: 1\nworkers: 2\nlisten: {{ data: 127.0.0.1:0, admin: 127.0.0.1:0 }}\n"
      "telemetry: {{ access_log: 'file:{}' }}\ndrain: {{ settle: 0s }}\n"
      "retry: {{ attempts_max: 2, budget: 100% }}\n"
      "providers: {{ p: {{ dialect: openai, replicas: [ http://127.0.0.1:{} ], "
      "limits: {{ connections: 24 }}, breaker: {{ samples_min: 1000000 }} }} }}\n"
      "models: {{ m: {{ targets: [ {{ provider: p, model: up }} ] }} }}\ntenants:\n",
      log, provider);
  for (std::uint32_t tenant = 0; tenant < kTenants; ++tenant)
    text += fmt::format("  t{}: {{ keys: [ {{ id: k{}, sha256: {} }} ] }}\n", tenant, tenant,
                        crypto::hex_encode(crypto::sha256(secret_of(tenant))));
  return text;
}

// The test must see what it is made to see.
TEST(TenantIsolation, AForeignMarkIsSeen) {
  EXPECT_FALSE(holds_foreign("says <<mark-1-2-3>> and <<mark-1-2", "1-2-3"));
  EXPECT_TRUE(holds_foreign("says <<mark-1-2-3>> and <<mark-2-2-3>>", "1-2-3"));
  EXPECT_TRUE(holds_foreign("says <<mark-1-2-34>>", "1-2-3"));
}

TEST(TenantIsolationSocket, NoMarkReachesAnotherTenantOrALog) {
  runtime::ignore_broken_pipes();
  const std::uint64_t seed = test::seed_of_test(20261130);
  SCOPED_TRACE(test::rerun_with(seed));
  const runtime::SystemClock clock;
  Echo provider(clock);
  provider.start();
  const std::string log = testing::TempDir() + "tenant_isolation_access.log";
  std::remove(log.c_str());
  test::WholeGateway gateway(config_of(provider.port(), log));
  ASSERT_NE(gateway.port(), 0U);
  Counts counts;
  test::run_clients<Client>(clock, kClientThreads, kClientsPerThread,
                            [&](runtime::AsioLoop& loop, net::Dialer& dialer, std::uint32_t i) {
                              return std::make_unique<Client>(loop, dialer, gateway.port(), i,
                                                              seed + i, counts);
                            });
  gateway.end();
  provider.end();

  EXPECT_EQ(counts.foreign.load(), 0U);
  EXPECT_EQ(counts.odd.load(), 0U);
  EXPECT_EQ(counts.own + counts.failed + counts.left,
            kClientThreads * kClientsPerThread * kCallsPerClient);
  // It would show nothing if one of these did not happen.
  EXPECT_GT(counts.own.load(), 50'000U);
  EXPECT_GT(counts.failed.load(), 100U);
  EXPECT_GT(counts.left.load(), 100U);
  std::ifstream file(log);
  const std::string lines{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_GT(lines.size(), 1'000'000U) << "the log was not written where it is looked for";
  EXPECT_TRUE(marks_in(lines).empty());
  EXPECT_FALSE(lines.contains("sk-isolation"));
  std::remove(log.c_str());
}

}  // namespace
}  // namespace penstock
