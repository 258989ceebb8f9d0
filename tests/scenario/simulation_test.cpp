// A seeded simulation of the whole pipeline: upstreams that fail in every way, clients that leave
// and have deadlines, on connections in memory and virtual time. What it wants to see never broken
// is in Simulation::check_… below.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/units.h"
#include "runtime/timer.h"
#include "tests/scenario/client.h"
#include "tests/scenario/faulty_fleet.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/support/peer.h"
#include "tests/support/scripted_upstream.h"
#include "tests/support/seeded_rng.h"

namespace penstock::scenario {
namespace {

enum class Stay { kStayed, kLeft };  // what a client did before its reply was whole

constexpr std::size_t kCalls = 50;
constexpr std::uint32_t kAttemptsMax = 4;
constexpr Duration kSpan = 4s;  // in which the calls begin

std::string config_for(Rng& rng) {
  constexpr std::string_view kBalances[] = {"weighted_round_robin", "least_request", "peak_ewma"};
  const std::string attempts = std::to_string(1 + rng.below(kAttemptsMax));
  const std::string budget = std::to_string(rng.below(3) * 50) + "%";
  const std::string common =
      ", timeouts: { first_byte: 300ms, idle: 400ms, connect: 100ms },"
      " breaker: { slow_call: 150ms, rate: 60%, samples_min: 6, window: 2s, open_for: 300ms },"
      " slow_start: 500ms, keep_alive: 1s, balance: ";
  return "retry: { attempts_max: " + attempts + ", budget: " + budget +
         ", backoff_base: 5ms, backoff_cap: 50ms, wait_max: 1s }\n"
         "limits: { in_flight: 12 }\n"
         "stream: { heartbeat: 120ms }\n"
         "providers:\n"
         "  a: { dialect: openai, replicas: [ http://up0:8000, { url: http://up1:8000, weight: 2 } "
         "]" +
         common + std::string(kBalances[rng.below(3)]) +
         " }\n"
         "  b: { dialect: openai, replicas: [ http://up2:8000 ], limits: { in_flight: 4, "
         "connections: 3, waiting: 2, wait: 100ms }" +
         common + std::string(kBalances[rng.below(3)]) +
         " }\n"
         "  c: { dialect: openai, replicas: [ http://up3:8000 ]" +
         common + "least_request }\n" +
         "models:\n"
         "  m: { targets: [ { provider: a, model: up, weight: 3 }, { provider: b, model: up } ],\n"
         "       fallback: [ { provider: c, model: up } ], deadline: 2s }\n";
}

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed)
      : rng_(seed),
        asks_(rng_.below(2) == 0 ? Asks::kUnary : Asks::kStreams),
        rig_(config_for(rng_), "", {}, {}, seed),
        fleet_(rig_, rng_, asks_, kCalls * (kAttemptsMax + 1)),
        began_(rig_.loop.now()) {
    for (std::size_t i = 0; i < kCalls; ++i) plan_call(i);
  }

  void run() {
    for (const auto& [at, what] : events_) {
      rig_.loop.advance(began_ + at - rig_.loop.now());
      what();
      rig_.loop.run_until_idle();
    }
    const auto all_idle = [this] {
      return std::ranges::all_of(clients_, [](const auto& client) { return client->idle(); });
    };
    EXPECT_TRUE(rig_.loop.advance_until(all_idle, 60s)) << "a request has no end";
    rig_.loop.advance(2 * runtime::TimerWheel::kTick);
    check_log();
    check_attempts();
    for (std::size_t i = 0; i < kCalls; ++i)
      if (clients_[i] != nullptr)
        check_reply(clients_[i]->reply(i), left_.contains(i) ? Stay::kLeft : Stay::kStayed);
    clients_.clear();
    rig_.expect_settled();
  }

  // What happened, without the times that only say how fast it was.
  [[nodiscard]] const std::vector<std::string>& trace() const { return rig_.log.lines; }

 private:
  Duration random_time(Duration most) {
    return Duration(rng_.below(static_cast<std::uint64_t>(most.count())));
  }

  void plan_call(std::size_t place) {
    const Duration at = random_time(kSpan);
    std::string fields;
    if (rng_.below(3) == 0)
      fields = "x-request-timeout-ms: " + std::to_string(20 + rng_.below(800)) + "\r\n";
    const std::string body = asks_ == Asks::kStreams
                                 ? R"({"model":"m","stream":true,"messages":[]})"
                                 : R"({"model":"m","messages":[]})";
    ClientCall call;
    call.bytes =
        "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nx-request-id: r" + std::to_string(place) +
        "\r\n" + fields +
        "content-type: application/json\r\ncontent-length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    call.leave = rng_.below(2) == 0 ? Leave::kClose : Leave::kReset;
    const bool leaves = rng_.below(5) == 0;
    const Duration leave_at = at + random_time(600ms);
    clients_.resize(kCalls);
    events_.insert({at, [this, place, call] {
                      clients_[place] = std::make_unique<Client>(
                          rig_.loop, rig_.connect(test::LoopbackOptions()).client,
                          test::Peer::Reading::kAlways);
                      clients_[place]->send(call, place);
                    }});
    if (!leaves) return;  // a connection is for one call: it ends once the reply is there
    left_.insert(place);
    events_.insert({leave_at, [this, place, how = call.leave] {
                      if (!clients_[place]->over()) clients_[place]->leave(how);
                    }});
  }

  // Each request ends once: one line each.
  void check_log() {
    std::map<std::string, int> lines;
    for (const std::string& line : rig_.log.lines) {
      const std::size_t at = line.find("\"request_id\":\"r");
      ASSERT_NE(at, std::string::npos) << line;
      const std::size_t begin = at + 14;
      ++lines[line.substr(begin, line.find('"', begin) - begin)];
    }
    EXPECT_EQ(lines.size(), kCalls);
    for (const auto& [id, count] : lines) EXPECT_EQ(count, 1) << id;
  }

  // Attempts as numbered to the providers: none beyond the limit, and none of a number twice but
  // for a connection that turned out to be closed.
  void check_attempts() {
    std::map<std::string, std::map<std::string, int>> attempts;
    for (const auto* request : fleet_.requests()) {
      EXPECT_FALSE(request->malformed);
      const std::string number = request->field("x-penstock-attempt");
      EXPECT_LE(std::stoul(number), kAttemptsMax);
      ++attempts[request->field("x-request-id")][number];
      const std::string left = request->field("x-request-timeout-ms");
      EXPECT_LE(std::stoul(left), 2000U);
    }
    for (const auto& [id, numbers] : attempts)
      for (const auto& [number, count] : numbers) EXPECT_LE(count, 2) << id << " " << number;
  }

  // A client that stayed has one whole reply, whose content is of one answer and nothing behind its
  // end.
  void check_reply(const Reply& reply, Stay stay) {
    std::set<std::string> words;
    for (std::size_t at = reply.body.find("\"w"); at != std::string::npos;
         at = reply.body.find("\"w", at + 1))
      words.insert(reply.body.substr(at + 1, reply.body.find('.', at) - at));
    EXPECT_LE(words.size(), 1U) << "two answers in one reply: " << reply.body;
    const std::size_t error = reply.body.find("data: {\"error\"");
    const std::size_t done = reply.body.find("data: [DONE]");
    if (error != std::string::npos) {
      EXPECT_EQ(done, std::string::npos) << reply.body;
      EXPECT_EQ(reply.body.find("\"w", error), std::string::npos) << "content behind an error";
      EXPECT_EQ(reply.body.find("\ndata:", error), std::string::npos) << "two ends";
    }
    EXPECT_TRUE(reply.whole || stay == Stay::kLeft)
        << reply.status << " " << reply.body.substr(0, 200);
    if (!reply.whole) return;
    EXPECT_TRUE(reply.status == 200 || reply.status >= 400) << reply.status;
    if (reply.status == 200 && asks_ == Asks::kStreams) {
      EXPECT_NE(error == std::string::npos, done == std::string::npos) << reply.body;
    }
    if (reply.status == 200 && asks_ == Asks::kUnary) {
      EXPECT_EQ(words.size(), 1U) << reply.body;
    }
  }

  test::SeededRng rng_;
  Asks asks_;
  GatewayRig rig_;
  FaultyFleet fleet_;
  TimePoint began_;
  std::multimap<Duration, std::function<void()>> events_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::set<std::size_t> left_;
};

// 2,000 seeds × 50 requests: 100,000 requests with faults, departures and time-outs, each gauge at
// 0 after every fifty of them.
TEST(Simulation, KeepsItsInvariants) {
  const std::uint64_t first = test::seed_of_test(1);
  const std::uint64_t seeds = first == 1 ? 2000 : 1;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, test::rerun_with(seed));
    Simulation simulation(seed);
    simulation.run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Simulation, SameSeedSameTrace) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Simulation first(seed);
    first.run();
    Simulation second(seed);
    second.run();
    EXPECT_EQ(first.trace(), second.trace()) << seed;
  }
}

}  // namespace
}  // namespace penstock::scenario
