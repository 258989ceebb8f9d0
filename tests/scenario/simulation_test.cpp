// A seeded simulation of the whole pipeline: upstreams that fail in every way, callers with limits
// who leave and have deadlines, on connections in memory and virtual time. What it wants to see
// never broken is in simulation_check.cpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "gateway/delivery.h"
#include "runtime/timer.h"
#include "tests/scenario/client.h"
#include "tests/scenario/faulty_fleet.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/simulation_check.h"
#include "tests/scenario/simulation_plan.h"
#include "tests/support/loopback.h"
#include "tests/support/peer.h"
#include "tests/support/seeded_rng.h"

namespace penstock::scenario {
namespace {

// How often what a simulation is about came to pass, over all seeds: one in which everything is
// refused breaks nothing, and proves nothing.
class Reach {
 public:
  void add(const std::string& what, std::uint64_t times) { sums_[what] += times; }
  void expect_each(std::uint64_t least) const {
    for (const auto& [what, times] : sums_) EXPECT_GE(times, least) << "too seldom: " << what;
  }
  void print() const {
    for (const auto& [what, times] : sums_) std::cout << "  " << what << ": " << times << '\n';
    std::cout << std::flush;
  }

 private:
  std::map<std::string, std::uint64_t> sums_;
};

// The sum of the series of that name in an exposition whose labels begin so.
std::uint64_t sum_of(std::string_view metrics, const std::string& series) {
  std::uint64_t sum = 0;
  const std::string begin = "\n" + series;
  for (std::size_t at = metrics.find(begin); at != std::string_view::npos;
       at = metrics.find(begin, at + 1)) {
    const std::string_view line = metrics.substr(at + 1, metrics.find('\n', at + 1) - at - 1);
    sum += std::stoull(std::string(line.substr(line.rfind(' ') + 1)));
  }
  return sum;
}

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed)
      : rng_(seed),
        plan_(draw_plan(*rng_.fork("plan"))),
        rig_(plan_.config, "", {}, {}, seed),
        fleet_(rig_, *rng_.fork("fleet"), plan_.asks,
               SimulationPlan::kCalls * (plan_.attempts_max + 1)),
        began_(rig_.loop.now()),
        clients_(plan_.calls.size()) {
    for (std::size_t i = 0; i < plan_.calls.size(); ++i) prepare(i);
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
    std::vector<Reply> replies;
    for (std::size_t i = 0; i < clients_.size(); ++i) replies.push_back(clients_[i]->reply(i));
    stories_ = tell_stories({plan_, began_, replies, fleet_, rig_.log.lines});
    check_stories(plan_, stories_);
    const std::string metrics = rig_.metrics();
    EXPECT_EQ(sum_of(metrics, "penstock_requests_total"), plan_.calls.size());
    EXPECT_EQ(sum_of(metrics, "penstock_uncaught_exceptions_total"), 0U);
    clients_.clear();
    rig_.expect_settled();  // what is in flight under any ceiling, and the queue, among the rest
  }

  void add_to(Reach& reach) const {
    add_replies(reach);
    add_refusals(reach);
    const std::string metrics = rig_.metrics();
    reach.add("retries", sum_of(metrics, "penstock_retries_total"));
    reach.add("retries without credit", sum_of(metrics, "penstock_retries_refused_total"));
    reach.add("fallbacks", sum_of(metrics, "penstock_fallbacks_total"));
    const std::string waits = "penstock_upstream_pool_wait_seconds_";
    reach.add("waits for a connection",
              sum_of(metrics, waits + "count{provider=\"b\"") -
                  sum_of(metrics, waits + "bucket{provider=\"b\",le=\"0.001\""));
    reach.add("breakers opened", static_cast<std::uint64_t>(std::ranges::count_if(
                                     rig_.operators_log.lines, [](const std::string& line) {
                                       return line.find("breaker opened") != std::string::npos;
                                     })));
  }

  // What happened, without the times that only say how fast it was.
  [[nodiscard]] const std::vector<std::string>& trace() const { return rig_.log.lines; }

 private:
  void prepare(std::size_t place) {
    const PlannedCall& planned = plan_.calls[place];
    ClientCall call;
    call.bytes = planned.bytes;
    events_.insert({planned.at, [this, place, call] {
                      clients_[place] = std::make_unique<Client>(
                          rig_.loop, rig_.connect(test::LoopbackOptions()).client,
                          test::Peer::Reading::kAlways);
                      clients_[place]->send(call, place);
                    }});
    if (!planned.leave_at) return;  // a connection is for one call
    events_.insert({*planned.leave_at, [this, place, how = planned.leave] {
                      if (!clients_[place]->over()) clients_[place]->leave(how);
                    }});
  }

  [[nodiscard]] std::uint64_t count(const std::function<bool(const CallStory&)>& is) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(stories_, is));
  }

  void add_replies(Reach& reach) const {
    const bool streams = plan_.asks == Asks::kStreams;
    const auto good = [](const CallStory& story) {
      return story.reply.whole && story.reply.status == 200;
    };
    const auto done = [&](const CallStory& story) { return good(story) && story.ends_in_done(); };
    reach.add("requests", stories_.size());
    reach.add("replies 200, whole", count(good));
    reach.add("unary replies 200", streams ? 0 : count(good));
    reach.add("streams up to [DONE]", count(done));
    reach.add("streams up to [DONE], buffered", count([&](const CallStory& story) {
                return done(story) &&
                       plan_.workload_of(story.planned).delivery == gateway::Delivery::kBuffered;
              }));
    reach.add("streams up to an error event",
              count([](const CallStory& story) { return story.ends_in_error_event(); }));
    reach.add("streams with heartbeats", count([](const CallStory& story) {
                return story.reply.body.find(": heartbeat") != std::string::npos;
              }));
    reach.add("clients that left", count([](const CallStory& story) { return story.left(); }));
    reach.add("clients that left the queue", count([](const CallStory& story) {
                return story.left() && story.attempts_logged == 0 && story.took > 0s;
              }));
    reach.add("stale connections replaced", count([](const CallStory& story) {
                return std::ranges::adjacent_find(story.attempts, {}, &AttemptSeen::number) !=
                       story.attempts.end();
              }));
    // What else could keep a first attempt waiting is a connection, which only b is short of.
    reach.add("admissions from the queue", count([](const CallStory& story) {
                return !story.attempts.empty() && story.attempts.front().number == 1 &&
                       story.attempts.front().place != "up2:8000" &&
                       story.attempts.front().begun > story.began;
              }));
  }

  void add_refusals(Reach& reach) const {
    for (const std::string_view code : {"no_replica", "overloaded", "rate_limit_exceeded"}) {
      reach.add("refused at once: " + std::string(code), count([&](const CallStory& story) {
                  return story.code == code && story.attempts_logged == 0 && story.took == 0s;
                }));
    }
    const auto waited = [](const CallStory& story, std::string_view code) {
      return story.code == code && story.attempts_logged == 0 && story.took > 0s;
    };
    reach.add("refused in the queue: overloaded",
              count([&](const CallStory& story) { return waited(story, "overloaded"); }));
    reach.add("refused in the queue: deadline_exceeded",
              count([&](const CallStory& story) { return waited(story, "deadline_exceeded"); }));
    reach.add("refused for want of a connection", count([](const CallStory& story) {
                return story.code == "overloaded" && story.attempts_logged > 0;
              }));
    reach.add("deadlines passed in an attempt", count([](const CallStory& story) {
                return story.code == "deadline_exceeded" && story.attempts_logged > 0;
              }));
  }

  test::SeededRng rng_;
  SimulationPlan plan_;
  GatewayRig rig_;
  FaultyFleet fleet_;
  TimePoint began_;
  std::multimap<Duration, std::function<void()>> events_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<CallStory> stories_;
};

// 2,000 seeds × 50 requests: 100,000 requests with faults, departures, limits and time-outs, each
// gauge at 0 after every fifty of them. Each thing that it is about happens in one seed of a
// hundred at least.
TEST(Simulation, KeepsItsInvariants) {
  const std::uint64_t first = test::seed_of_test(1);
  const std::uint64_t seeds = first == 1 ? 2000 : 1;
  Reach reach;
  std::uint64_t seed = first;
  for (; seed < first + seeds && !testing::Test::HasFailure(); ++seed) {
    if (seed % 100 == 1 || seeds == 1) std::cout << "from seed " << seed << " on" << std::endl;
    const testing::ScopedTrace trace(__FILE__, __LINE__, test::rerun_with(seed));
    Simulation simulation(seed);
    simulation.run();
    simulation.add_to(reach);
  }
  std::cout << "seeds " << first << " to " << seed - 1 << ":\n";
  reach.print();
  if (seeds > 1 && !testing::Test::HasFailure()) reach.expect_each(seeds / 100);
}

TEST(Simulation, SameSeedSameTrace) {
  constexpr std::uint64_t kSeeds = 20;
  std::cout << "seeds 1 to " << kSeeds << ", each twice\n";
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(seed));
    Simulation first(seed);
    first.run();
    Simulation second(seed);
    second.run();
    EXPECT_EQ(first.trace(), second.trace());
  }
}

}  // namespace
}  // namespace penstock::scenario
