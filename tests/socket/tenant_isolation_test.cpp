// A hundred tenants whose every request is marked, through one gateway on real sockets, while
// clients leave, providers and Redis cut connections, and connections are shared by whoever comes
// next: no mark is ever seen by anybody but its sender and the provider that it asks, which sees no
// other beside it; none stands in a log, in a metric or in Redis.
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
#include <utility>

#include <fcntl.h>
#include <unistd.h>

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
#include "tests/socket/dropping_redis.h"
#include "tests/socket/http_caller.h"
#include "tests/socket/http_load.h"
#include "tests/socket/http_provider.h"
#include "tests/socket/whole_gateway.h"
#include "tests/support/departure.h"
#include "tests/support/seeded_rng.h"
#include "wire/header_list.h"

namespace penstock {
namespace {

using runtime::Task;

constexpr std::uint32_t kTenants = 100;
constexpr std::uint32_t kClientThreads = 2;
constexpr std::uint32_t kClientsPerThread = 25;
constexpr std::uint32_t kCallsPerClient = 2000;  // 100,000 in all
constexpr std::string_view kMark = "<<mark-";
constexpr std::string_view kAddress = "@isolation.example";

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

bool limited(std::uint64_t tenant) { return tenant % 4 == 0; }
bool redacted(std::uint64_t tenant) { return tenant % 8 == 0; }

// Whether a text holds a mark that is not (the beginning of) `own`.
bool holds_foreign(std::string_view text, std::string_view own) {
  for (const std::string& mark : marks_in(text))
    if (!own.starts_with(mark)) return true;
  return false;
}

// Says again what it was asked, as a stream in pieces or at once; breaks off every now and then.
// Counts requests that hold the marks of several callers, a caller's key, or what was to be masked.
class Echo final : public test::HttpProvider {
 public:
  using HttpProvider::HttpProvider;

  Task<void> serve(net::Exchange& exchange) override {
    const Result<std::string_view> body = co_await exchange.read_body(body_limits());
    if (!body) co_return exchange.break_off();
    const std::size_t at = body->find(kMark);
    if (at == std::string_view::npos) co_return exchange.break_off();
    const std::string said(body->substr(at, body->find('"', at) - at));
    check(exchange.head().headers, *body);
    const std::string head = fmt::format("x-said: {}>>\r\n", said.substr(0, said.find('>')));
    if (body->contains("\"stream\":true")) co_return co_await stream(exchange, head, said);
    if (rng_.below(40) == 0) co_return exchange.break_off();
    const std::array<std::string_view, 3> pieces{
        R"({"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":")",
        said, R"("},"finish_reason":"stop"}]})"};
    std::string reply = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" + head;
    ignore(co_await exchange.reply(std::move(reply), pieces), "the gateway may have left");
  }

  // Requests that held what they must not. Once the provider has ended.
  [[nodiscard]] std::uint32_t mixed() const noexcept { return mixed_; }

 private:
  void check(const wire::HeaderList& fields, std::string_view body) {
    std::string all;
    for (const wire::Header& field : fields) all.append(field.value).append("\n");
    all += body;
    const auto marks = marks_in(all);
    const bool raw =
        redacted(std::strtoull(marks.begin()->c_str(), nullptr, 10)) && body.contains(kAddress);
    if (marks.size() == 1 && !raw && !all.contains("sk-isolation")) return;
    if (mixed_++ == 0) ADD_FAILURE() << "the provider was sent " << all;
  }

  Task<void> stream(net::Exchange& exchange, const std::string& head, const std::string& said) {
    exchange.begin("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" + head,
                   net::ReplyFraming());
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
  std::uint32_t mixed_ = 0;
};

struct Counts {
  std::atomic<std::uint32_t> own = 0;      // a whole reply with the caller's mark
  std::atomic<std::uint32_t> headed = 0;   // of those, with it in the head too
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
    const std::string body = fmt::format(
        R"({{"model":"m","stream":{},"messages":[{{"role":"user","content":"{} t{}{}"}}]}})",
        rng_.below(2) == 0, said, tenant, kAddress);
    const std::string head = fmt::format(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\n"
        "authorization: Bearer {}\r\nx-note: {}{}>>\r\n{}content-length: {}\r\n\r\n",
        secret_of(tenant), kMark, own, index % 8 == 0 ? "x-penstock-provider: p\r\n" : "",
        body.size());
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
    if (holds_foreign(answer.body, own) || holds_foreign(answer.head, own)) {
      if (counts_.foreign++ == 0)
        ADD_FAILURE() << own << " was sent " << answer.head << answer.body;
    } else if (answer.whole && answer.status == 200 && text_of(answer.body).contains(said)) {
      ++counts_.own;
      if (!marks_in(answer.head).empty()) ++counts_.headed;
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

// Asks the admin plane once.
class Scrape {
 public:
  Scrape(runtime::AsioLoop& loop, net::Dialer& dialer, std::uint16_t port, std::string& metrics)
      : caller_(loop, dialer, port), metrics_(metrics) {}

  Task<void> run() {
    const std::array<std::string_view, 1> pieces{"GET /metrics HTTP/1.1\r\nhost: g\r\n\r\n"};
    runtime::Cancellation never;
    const std::optional<test::HttpCaller::Answer> answer = co_await caller_.ask(pieces, never);
    if (answer) metrics_ = answer->body;
    co_await caller_.close();
  }

 private:
  test::HttpCaller caller_;
  std::string& metrics_;
};

// What this process says on stderr goes to a file as long as this lives.
class StderrFile {
 public:
  explicit StderrFile(const std::string& path)
      : file_(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600)),
        before_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) {
    EXPECT_NE(dup2(file_, STDERR_FILENO), -1);
  }
  StderrFile(const StderrFile&) = delete;
  StderrFile& operator=(const StderrFile&) = delete;
  ~StderrFile() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(file_);
  }

 private:
  int file_;
  int before_;
};

// A quarter of the tenants have limits, which are shared through Redis; half of those mask
// addresses.
std::string config_of(std::uint16_t provider, const std::string& logs) {
  std::string text = fmt::format(
      "version: 1\nworkers: 2\nlisten: {{ data: 127.0.0.1:0, admin: 127.0.0.1:0 }}\n"
      "telemetry: {{ access_log: 'file:{}access.log', audit_log: 'file:{}audit.log' }}\n"
      "drain: {{ settle: 0s }}\nretry: {{ attempts_max: 2, budget: 100% }}\n"
      "store: {{ quota: {{ kind: redis }}, redis: {{ url: env:REDIS, emergency_share: 100% }} }}\n"
      "providers: {{ p: {{ dialect: openai, replicas: [ http://127.0.0.1:{} ], "
      "limits: {{ connections: 24 }}, breaker: {{ samples_min: 1000000 }} }} }}\n"
      "models: {{ m: {{ targets: [ {{ provider: p, model: up }} ] }} }}\ntenants:\n",
      logs, logs, provider);
  for (std::uint32_t tenant = 0; tenant < kTenants; ++tenant)
    text += fmt::format(
        "  t{}: {{ keys: [ {{ id: k{}, workload: w, sha256: {} }} ], workloads: {{ w: {{{}}} }}{} "
        "}}\n",
        tenant, tenant, crypto::hex_encode(crypto::sha256(secret_of(tenant))),
        redacted(tenant) ? " redact: { patterns: [email], action: mask } " : "",
        limited(tenant) ? ", limits: { requests: 5k/s, tokens: 1M/s, in_flight: 100 }" : "");
  return text;
}

// The text of a log, which must have been written, and holds nothing of a caller's.
void expect_unmarked(const std::string& path, std::size_t least) {
  std::ifstream file(path);
  const std::string lines{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_GT(lines.size(), least) << path << " was not written where it is looked for";
  EXPECT_TRUE(marks_in(lines).empty()) << path;
  EXPECT_FALSE(lines.contains("sk-isolation")) << path;
  EXPECT_FALSE(lines.contains(kAddress)) << path;
  std::remove(path.c_str());
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
  test::DroppingRedis redis(clock);
  const std::string logs = testing::TempDir() + "tenant_isolation_";
  for (const char* name : {"access.log", "audit.log"}) std::remove((logs + name).c_str());
  Counts counts;
  std::string metrics;
  {
    const StderrFile said(logs + "process.log");
    test::WholeGateway gateway(config_of(provider.port(), logs), redis.url());
    EXPECT_NE(gateway.port(), 0U);
    if (gateway.port() != 0)
      gateway.serve_while([&] {
        test::run_clients<Client>(
            clock, kClientThreads, kClientsPerThread,
            [&](runtime::AsioLoop& loop, net::Dialer& dialer, std::uint32_t i) {
              return std::make_unique<Client>(loop, dialer, gateway.port(), i, seed + i, counts);
            });
        test::run_clients<Scrape>(
            clock, 1, 1, [&](runtime::AsioLoop& loop, net::Dialer& dialer, std::uint32_t) {
              return std::make_unique<Scrape>(loop, dialer, gateway.admin_port(), metrics);
            });
      });
  }
  provider.end();
  redis.end();

  EXPECT_EQ(counts.foreign.load(), 0U);
  EXPECT_EQ(counts.odd.load(), 0U);
  EXPECT_EQ(counts.own + counts.failed + counts.left,
            kClientThreads * kClientsPerThread * kCallsPerClient);
  // It would show nothing if one of these did not happen.
  EXPECT_GT(counts.own.load(), 50'000U);
  EXPECT_GT(counts.failed.load(), 100U);
  EXPECT_GT(counts.left.load(), 100U);
  EXPECT_GT(counts.headed.load(), 50'000U);
  EXPECT_EQ(provider.mixed(), 0U);
  expect_unmarked(logs + "access.log", 1'000'000);
  expect_unmarked(logs + "audit.log", 100'000);
  expect_unmarked(logs + "process.log", 20);
  EXPECT_TRUE(metrics.contains("penstock_redactions_total{kind=\"email\",direction=\"request\"} "));
  EXPECT_TRUE(marks_in(metrics).empty() && !metrics.contains("sk-isolation"));
  EXPECT_GT(redis.drops(), 5U);
  const std::string names = redis.ask("KEYS *");
  EXPECT_TRUE(names.contains("penstock:{t0}:")) << "no limit was shared";
  EXPECT_TRUE(marks_in(names).empty() && !names.contains("sk-isolation"));
}

}  // namespace
}  // namespace penstock
