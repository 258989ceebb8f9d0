#include "lab/load_worker.h"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/units.h"
#include "lab/load.h"
#include "lab/load_record.h"
#include "lab/load_run.h"
#include "lab/load_target.h"
#include "lab/load_totals.h"
#include "lab/pacer.h"
#include "runtime/task_group.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::lab {
namespace {

using test::Answer;
using test::ScriptedUpstream;

// A worker before a scripted provider, on virtual time.
struct LoadRig {
  explicit LoadRig(LoadOptions given) : options(std::move(given)) {
    options.url = "http://u:1";
    options.model = "m";
    run.emplace(loop.clock(), options, *load_target(options), nullptr);
    worker.emplace(*run, loop, net);
  }
  LoadRig(const LoadRig&) = delete;
  LoadRig& operator=(const LoadRig&) = delete;
  ~LoadRig() { EXPECT_EQ(tasks.running(), 0U); }

  // Runs a closed loop of one to its end.
  const LoadTotals& closed() {
    tasks.spawn(worker->run_closed(1));
    loop.advance_until([this] { return tasks.running() == 0; }, 10min);
    loop.run_until_idle();
    return worker->totals();
  }

  test::ManualLoop loop;
  test::LoopbackNet net{loop};
  ScriptedUpstream upstream{loop, net, "u:1"};
  LoadOptions options;
  std::optional<LoadRun> run;
  std::optional<LoadWorker> worker;
  runtime::TaskGroup tasks;
};

Answer stream_answer(std::initializer_list<test::Step> rest) {
  Answer answer;
  answer.steps.push_back(test::stream_head());
  answer.steps.insert(answer.steps.end(), rest);
  return answer;
}
test::Step content() {
  return test::step::Event{R"({"choices":[{"index":0,"delta":{"content":"x"}}]})"};
}

LoadOptions one_request() {
  LoadOptions options;
  options.requests_max = 1;
  return options;
}
LoadOptions one_stream() {
  LoadOptions options = one_request();
  options.stream = true;
  return options;
}

// Requests follow one another on one connection until their number is reached.
TEST(LoadWorker, RepeatsOnOneConnection) {
  LoadOptions options;
  options.requests_max = 5;
  LoadRig rig(options);
  rig.upstream.answer_always(test::json_answer("{}"));
  const LoadTotals& totals = rig.closed();
  EXPECT_EQ(totals.of(LoadEnd::kOk), 5U);
  EXPECT_EQ(rig.upstream.requests().size(), 5U);
  EXPECT_EQ(rig.net.counts("u:1").dials, 1U);
}

// Time to the first content is apart from the whole.
TEST(LoadWorker, MeasuresTheFirstContentApart) {
  LoadRig rig(one_stream());
  rig.upstream.answer(stream_answer({test::step::Wait{100ms}, content(), test::step::Wait{400ms},
                                     test::step::Event{"[DONE]"}, test::step::LastChunk{}}));
  const LoadTotals& totals = rig.closed();
  ASSERT_EQ(totals.of(LoadEnd::kOk), 1U);
  EXPECT_GE(totals.ttft.max(), 100ms);
  EXPECT_LE(totals.ttft.max(), 110ms);
  EXPECT_GE(totals.total.max(), 500ms);
  EXPECT_EQ(totals.chunks, 2U);
}

// Each way to fail has its own name.
TEST(LoadWorker, TellsHowRequestsFailed) {
  const auto end_of = [](const Answer& answer, const LoadOptions& options) {
    LoadRig rig(options);
    rig.upstream.answer(answer);
    const LoadTotals& totals = rig.closed();
    for (std::size_t i = 0; i < kLoadEndCount; ++i)
      if (totals.ends[i] != 0) return static_cast<LoadEnd>(i);
    return LoadEnd::kNotSent;
  };
  const Answer failing = test::json_answer(503, R"({"error":{"code":"busy","message":"m"}})");
  EXPECT_EQ(end_of(failing, one_request()), LoadEnd::kStatus);
  EXPECT_EQ(end_of(test::json_answer("{}"), one_stream()), LoadEnd::kMalformed);
  EXPECT_EQ(end_of(stream_answer({content(), test::step::Cut{}}), one_stream()), LoadEnd::kReset);
  EXPECT_EQ(end_of(stream_answer({content(), test::step::LastChunk{}}), one_stream()),
            LoadEnd::kInterrupted);
  const test::Step error = test::step::Event{R"({"error":{"message":"m","code":"c"}})"};
  EXPECT_EQ(end_of(stream_answer({error, test::step::LastChunk{}}), one_stream()),
            LoadEnd::kErrorEvent);
  // It is the last event, or it is no end.
  EXPECT_EQ(end_of(stream_answer({error, content(), test::step::LastChunk{}}), one_stream()),
            LoadEnd::kMalformed);
  LoadOptions leaving = one_stream();
  leaving.abort_after = 50ms;
  EXPECT_EQ(end_of(stream_answer({content(), test::step::Hang{}}), leaving), LoadEnd::kAborted);
  LoadOptions impatient = one_request();
  impatient.timeout = 1s;
  EXPECT_EQ(end_of(Answer{.steps = {test::step::Hang{}}}, impatient), LoadEnd::kTimeout);
}

// The code of an error is told by its own name.
TEST(LoadWorker, CountsCodes) {
  LoadRig rig(one_request());
  rig.upstream.answer(test::json_answer(503, R"({"error":{"code":"busy","message":"m"}})"));
  EXPECT_EQ(rig.closed().codes.at("busy"), 1U);
}

// An open loop counts from when a request should have begun, not from when it could.
TEST(LoadWorker, CountsFromTheIntendedStart) {
  LoadOptions options;
  options.rps = 10;
  LoadRig rig(options);
  rig.upstream.answer_always(test::json_answer("{}"));
  rig.tasks.spawn(rig.worker->run_open());
  rig.loop.advance(1s);
  rig.worker->begin(0, 2);
  rig.worker->no_more_arrivals();
  rig.loop.advance(1s);
  EXPECT_EQ(rig.worker->totals().of(LoadEnd::kOk), 2U);
  EXPECT_GE(rig.worker->totals().total.max(), 900ms);
  EXPECT_GE(rig.worker->totals().late.max(), 900ms);
}

// A refusal that says when to come back is asked again then, as often as allowed; one that says
// not to is not.
TEST(LoadWorker, RetriesAsTheReplyAdvises) {
  const auto refusal = [](const char* advice) {
    return Answer{.steps = {test::step::Send{
                      std::string("HTTP/1.1 503 \r\ncontent-length: 2\r\nretry-after-ms: 200\r\n") +
                      "x-should-retry: " + advice + "\r\n\r\n{}"}}};
  };
  LoadOptions options = one_request();
  options.retries = 2;
  LoadRig patient(options);
  patient.upstream.answer_always(refusal("true"));
  const TimePoint before = patient.loop.clock().now();
  EXPECT_EQ(patient.closed().all(), 3U);
  EXPECT_GE(patient.loop.clock().now() - before, 400ms);
  LoadRig told(options);
  told.upstream.answer_always(refusal("false"));
  EXPECT_EQ(told.closed().all(), 1U);
}

// What is measured begins after the warm-up.
TEST(LoadWorker, LeavesOutTheWarmUp) {
  LoadOptions options;
  options.warm_up = 1s;
  options.requests_max = 3;
  LoadRig rig(options);
  for (int i = 0; i < 3; ++i) {
    Answer answer = test::json_answer("{}");
    answer.steps.insert(answer.steps.begin(), test::step::Wait{700ms});
    rig.upstream.answer(answer);
  }
  EXPECT_EQ(rig.closed().all(), 1U);
}

// Arrivals are evenly spaced, and all of them lie before the end.
TEST(ArrivalPlan, IsFixedInAdvance) {
  const ArrivalPlan plan{.start = TimePoint(5s), .phases = {{30, 1s}}};
  EXPECT_EQ(plan.due(0), TimePoint(5s));
  EXPECT_EQ(plan.due(15), TimePoint(5500ms));
  EXPECT_EQ(plan.due(30), TimePoint::max());
  EXPECT_EQ(plan.count(), 30U);
  EXPECT_EQ((RatePhase{0.5, 1s}.count()), 1U);
  EXPECT_EQ((RatePhase{3, 500ms}.count()), 2U);
}

// A phase begins when the one before it is over, whatever was left of its last interval.
TEST(ArrivalPlan, GoesThroughItsPhases) {
  const ArrivalPlan plan{.start = TimePoint(0s), .phases = {{2, 2s}, {10, 1s}, {1, 1s}}};
  EXPECT_EQ(plan.count(), 15U);
  EXPECT_EQ(plan.due(3), TimePoint(1500ms));
  EXPECT_EQ(plan.due(4), TimePoint(2s));
  EXPECT_EQ(plan.due(5), TimePoint(2100ms));
  EXPECT_EQ(plan.due(14), TimePoint(3s));
}

}  // namespace
}  // namespace penstock::lab
