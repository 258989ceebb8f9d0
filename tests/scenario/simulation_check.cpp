#include "tests/scenario/simulation_check.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/priority.h"
#include "gateway/delivery.h"
#include "runtime/timer.h"
#include "tests/scenario/client.h"
#include "tests/scenario/faulty_fleet.h"
#include "tests/scenario/log_member.h"
#include "tests/scenario/simulation_plan.h"

namespace penstock::scenario {
namespace {

constexpr Duration kLate = 2 * runtime::TimerWheel::kTick;  // by which a time-out may be late

constexpr Duration kMicrosecond = 1us;  // the access log's grain

std::int64_t in_ms(Duration time) {
  return std::chrono::floor<std::chrono::milliseconds>(time).count();
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(read.ec, std::errc()) << "no number: " << text;
  return value;
}

std::string_view member(std::string_view line, std::string_view key) {
  return log_member(line, key).value_or(std::string_view());
}

// The story of that request id; null for an id that no client sent.
CallStory* story_of(std::vector<CallStory>& stories, std::string_view id) {
  if (!id.starts_with('r')) return nullptr;
  const std::uint64_t place = number(id.substr(1));
  return place < stories.size() ? &stories[place] : nullptr;
}

void read_line(std::string_view line, CallStory& story) {
  ++story.lines;
  story.attempts_logged = static_cast<std::uint32_t>(number(member(line, "attempts")));
  story.status_logged = static_cast<int>(number(member(line, "status")));
  story.code = member(line, "code");
  story.tenant = member(line, "tenant");
  story.workload = member(line, "workload");
  story.took = std::chrono::microseconds(number(member(line, "duration_us")));
}

AttemptSeen seen(const FaultyFleet::Asked& asked) {
  EXPECT_FALSE(asked.request->malformed) << asked.request->head;
  return {.number = static_cast<std::uint32_t>(number(asked.request->field("x-penstock-attempt"))),
          .place = asked.place,
          .word = asked.word,
          .begun = asked.request->begun,
          .told_ms = number(asked.request->field("x-request-timeout-ms"))};
}

// No more of them than this seed's config allows, one after the other, and none of a number twice
// but at one replica, for a connection that turned out to be closed.
void check_attempts(const SimulationPlan& plan, const CallStory& story) {
  EXPECT_LE(story.attempts_logged, plan.attempts_max);
  const AttemptSeen* before = nullptr;
  std::size_t same = 1;
  for (const AttemptSeen& attempt : story.attempts) {
    EXPECT_GE(attempt.number, 1U);
    EXPECT_LE(attempt.number, plan.attempts_max) << "more attempts than the config allows";
    EXPECT_LE(attempt.number, story.attempts_logged);
    if (before != nullptr) {
      EXPECT_TRUE(before->begun <= attempt.begun) << "attempt " << attempt.number;
      same = before->number == attempt.number ? same + 1 : 1;
      EXPECT_LE(same, 2U) << "attempt " << attempt.number;
      if (same > 1) EXPECT_EQ(before->place, attempt.place) << "attempt " << attempt.number;
    }
    before = &attempt;
  }
}

// Each attempt is told exactly what is left of the request's one deadline: nothing takes time
// between the gateway's writing and the upstream's reading here.
void check_time_told(const CallStory& story) {
  for (const AttemptSeen& attempt : story.attempts) {
    const Duration left = story.planned.patience - (attempt.begun - story.began);
    EXPECT_TRUE(left >= -kLate) << "attempt " << attempt.number << " begins behind the deadline";
    EXPECT_EQ(attempt.told_ms, static_cast<std::uint64_t>(std::max<std::int64_t>(1, in_ms(left))))
        << "attempt " << attempt.number << " begins after " << in_ms(attempt.begun - story.began)
        << " ms of " << in_ms(story.planned.patience);
  }
}

// Content is of one answer, which this request's last attempt got: none begins once a word was
// relayed. Nothing is behind a reply's end, and a buffered one is whole or has no content at all.
void check_content(const SimulationPlan& plan, const CallStory& story) {
  const std::string& body = story.reply.body;
  const std::set<std::string> words = story.words();
  EXPECT_LE(words.size(), 1U) << "two answers in one reply: " << body;
  if (!words.empty()) {
    const auto by = std::ranges::find(story.attempts, *words.begin(), &AttemptSeen::word);
    ASSERT_TRUE(by != story.attempts.end()) << "content of another request: " << body;
    EXPECT_TRUE(by + 1 == story.attempts.end())
        << "attempt " << by->number << " got content to the client, and there was another";
    EXPECT_EQ(by->number, story.attempts_logged) << "an attempt behind content";
  }
  const std::size_t error = body.find("data: {\"error\"");
  if (error == std::string::npos) return;
  EXPECT_FALSE(story.ends_in_done()) << body;
  EXPECT_EQ(body.find("\"w", error), std::string::npos) << "content behind an error: " << body;
  EXPECT_EQ(body.find("\ndata:", error), std::string::npos) << "two ends: " << body;
  if (plan.workload_of(story.planned).delivery == gateway::Delivery::kBuffered) {
    EXPECT_TRUE(words.empty()) << "part of a buffered reply: " << body;
  }
}

// A client that stayed has one whole reply, by its deadline.
void check_reply(const SimulationPlan& plan, const CallStory& story) {
  const Reply& reply = story.reply;
  EXPECT_TRUE(reply.whole || story.left()) << reply.status << " " << reply.body.substr(0, 200);
  if (!reply.whole) return;
  EXPECT_EQ(reply.status, story.status_logged);
  EXPECT_LE(in_ms(reply.ended - story.began), in_ms(story.planned.patience + kLate))
      << "behind its deadline";
  EXPECT_TRUE(reply.status == 200 || reply.status >= 400) << reply.status;
  if (reply.status == 200 && plan.asks == Asks::kStreams)
    EXPECT_NE(story.ends_in_error_event(), story.ends_in_done()) << reply.body;
  if (reply.status == 200 && plan.asks == Asks::kUnary)
    EXPECT_EQ(story.words().size(), 1U) << reply.body;
}

// Each request ends once, which is one line, about its caller; and what the queue refuses it
// refuses in time.
void check_line(const SimulationPlan& plan, const CallStory& story) {
  EXPECT_EQ(story.lines, 1U);
  EXPECT_EQ(story.tenant, plan.tenant_of(story.planned).name);
  EXPECT_EQ(story.workload, plan.workload_of(story.planned).name);
  EXPECT_NE(story.code, "internal");
  if (story.code == "overloaded" && story.attempts_logged == 0) {
    EXPECT_LE(in_ms(story.took), in_ms(plan.queue_wait + kLate)) << "behind admission.queue_wait";
  }
}

using Stories = std::vector<const CallStory*>;

template <class Is>
std::uint64_t count(const Stories& stories, const Is& is) {
  return static_cast<std::uint64_t>(std::ranges::count_if(stories, is));
}

// Those that were at a provider at once, from their first attempt to their end, are no more than a
// ceiling allows, and those that passed a rate no more than it.
void check_limits(const DrawnLimits& limits, const Stories& under, const std::string& whose) {
  for (const CallStory* one : under) {
    if (one->attempts.empty() || !limits.in_flight) continue;
    const TimePoint at = one->attempts.front().begun;
    const auto runs = [at](const CallStory* other) {
      return !other->attempts.empty() && other->attempts.front().begun <= at &&
             at < other->began + other->took;
    };
    EXPECT_LE(count(under, runs), *limits.in_flight) << "at once under " << whose;
  }
  if (!limits.per_second) return;
  constexpr std::uint64_t kSeconds = SimulationPlan::kSpan / 1s;
  const auto passes = [](const CallStory* one) { return one->code != "rate_limit_exceeded"; };
  EXPECT_LE(count(under, passes), limits.burst + *limits.per_second * kSeconds)
      << "passed the rate of " << whose;
}

// Whoever waited in vain for one of the process's places found no free one for its class: those
// who may have held one at that moment are enough to fill it.
void check_wait(const SimulationPlan& plan, const std::vector<CallStory>& stories,
                const CallStory& one) {
  const bool out_of_time =
      one.code == "overloaded" && plan.queue_wait > 0s && one.took > plan.queue_wait - kMicrosecond;
  if (one.attempts_logged > 0 || (!out_of_time && one.code != "deadline_exceeded")) return;
  const TimePoint at = one.began + one.took;
  const auto may_be_in = [&](const CallStory& other) {
    const bool admitted = other.attempts_logged > 0 || other.code == "no_replica";
    return admitted && other.began <= at && at <= other.began + other.took + kMicrosecond;
  };
  const control::Priority priority = plan.workload_of(one.planned).priority;
  EXPECT_GE(std::ranges::count_if(stories, may_be_in),
            control::mark(static_cast<std::uint32_t>(plan.in_flight), priority))
      << "waited in vain with a place free";
}

void check_all_limits(const SimulationPlan& plan, const std::vector<CallStory>& stories) {
  const auto those = [&](const std::function<bool(const CallStory&)>& belong) {
    Stories some;
    for (const CallStory& story : stories)
      if (belong(story)) some.push_back(&story);
    return some;
  };
  DrawnLimits process;
  process.in_flight = plan.in_flight;
  check_limits(process, those([](const CallStory&) { return true; }), "the process");
  for (const DrawnTenant& tenant : plan.tenants) {
    const auto its = [&](const CallStory& story) { return story.tenant == tenant.name; };
    check_limits(tenant.limits, those(its), tenant.name);
    for (const DrawnWorkload& workload : tenant.workloads)
      check_limits(workload.limits, those([&](const CallStory& story) {
                     return its(story) && story.workload == workload.name;
                   }),
                   tenant.name + "/" + workload.name);
  }
}

}  // namespace

std::set<std::string> CallStory::words() const {
  std::set<std::string> words;
  const std::string& body = reply.body;
  for (std::size_t at = body.find("\"w"); at != std::string::npos; at = body.find("\"w", at + 1))
    words.insert(body.substr(at + 1, body.find('.', at) - at));
  return words;
}

bool CallStory::ends_in_error_event() const {
  return reply.body.find("data: {\"error\"") != std::string::npos;
}

bool CallStory::ends_in_done() const {
  return reply.body.find("data: [DONE]") != std::string::npos;
}

std::vector<CallStory> tell_stories(const Simulated& all) {
  std::vector<CallStory> stories(all.plan.calls.size());
  for (std::size_t i = 0; i < stories.size(); ++i) {
    stories[i].planned = all.plan.calls[i];
    stories[i].began = all.began + stories[i].planned.at;
    stories[i].reply = all.replies[i];
  }
  for (const std::string& line : all.log) {
    CallStory* const story = story_of(stories, member(line, "request_id"));
    EXPECT_NE(story, nullptr) << "a line of nobody: " << line;
    if (story != nullptr) read_line(line, *story);
  }
  for (const FaultyFleet::Asked& asked : all.fleet.asked()) {
    CallStory* const story = story_of(stories, asked.request->field("x-request-id"));
    EXPECT_NE(story, nullptr) << "an attempt of nobody: " << asked.request->head;
    if (story == nullptr) continue;
    AttemptSeen attempt = seen(asked);
    auto& ordered = story->attempts;
    const auto at = std::ranges::upper_bound(ordered, attempt.number, {}, &AttemptSeen::number);
    ordered.insert(at, std::move(attempt));
  }
  return stories;
}

void check_stories(const SimulationPlan& plan, const std::vector<CallStory>& stories) {
  for (std::size_t i = 0; i < stories.size(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "request r" + std::to_string(i));
    check_line(plan, stories[i]);
    check_attempts(plan, stories[i]);
    check_time_told(stories[i]);
    check_content(plan, stories[i]);
    check_reply(plan, stories[i]);
    check_wait(plan, stories, stories[i]);
  }
  check_all_limits(plan, stories);
}

}  // namespace penstock::scenario
