#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "tests/scenario/client.h"
#include "tests/scenario/faulty_fleet.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/simulation_plan.h"

namespace penstock::scenario {

// What a simulation wants to see never broken, judged behind its end.

// One request that reached an upstream.
struct AttemptSeen {
  std::uint32_t number = 0;
  std::string_view place;
  std::string word;  // of its answer
  TimePoint begun{};
  std::uint64_t told_ms = 0;  // how long it may take
};

// One call, as its client, the upstreams and the access log saw it.
struct CallStory {
  PlannedCall planned;
  TimePoint began{};
  Reply reply;
  std::vector<AttemptSeen> attempts;  // by number; two of one number in the order they came
  std::size_t lines = 0;              // in the access log; of the last one:
  std::uint32_t attempts_logged = 0;
  int status_logged = 0;
  std::string code;
  std::string tenant;
  std::string workload;
  Duration took{};

  [[nodiscard]] bool left() const { return planned.leave_at.has_value() && !reply.whole; }
  // The words that its client got.
  [[nodiscard]] std::set<std::string> words() const;
  [[nodiscard]] bool ends_in_error_event() const;
  [[nodiscard]] bool ends_in_done() const;
};

// What a simulation has behind it.
struct Simulated {
  const SimulationPlan& plan;
  TimePoint began;
  const std::vector<Reply>& replies;  // one for each call of the plan
  const FaultyFleet& fleet;
  const Lines& log;  // the access log's
};
[[nodiscard]] std::vector<CallStory> tell_stories(const Simulated& all);

void check_stories(const SimulationPlan& plan, const std::vector<CallStory>& stories);

}  // namespace penstock::scenario
