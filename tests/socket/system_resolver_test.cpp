#include "net/system_resolver.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "net/address.h"
#include "net/resolver.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/socket/loop_thread.h"

namespace penstock::net {
namespace {

using Answer = Result<std::vector<Address>>;

// Stands still until moved; read by the resolver's threads too.
class HandClock final : public Clock {
 public:
  void move(Duration by) { now_.fetch_add(by.count()); }
  [[nodiscard]] TimePoint now() const noexcept override { return TimePoint(Duration(now_.load())); }
  [[nodiscard]] WallTime wall() const noexcept override { return {}; }

 private:
  std::atomic<Duration::rep> now_ = Duration(1h).count();
};

// A name server that answers what it is told, one question at a time.
class Names {
 public:
  [[nodiscard]] SystemResolver::Lookup lookup() {
    return [this](const std::string&) { return ask(); };
  }
  void set(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  // Waits until `count` questions have been answered.
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_ >= count; });
  }
  [[nodiscard]] int answered() {
    const std::lock_guard lock(mutex_);
    return answered_;
  }

 private:
  Answer ask() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !held_; });
    ++answered_;
    changed_.notify_all();
    return answer_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Answer answer_ = std::vector<Address>{Address{.ip = {10, 0, 0, 1}}};
  bool held_ = false;
  int answered_ = 0;
};

runtime::Task<void> resolve_into(runtime::AsioLoop& loop, Resolver& resolver, std::string host,
                                 runtime::CallContext context, Answer& answer) {
  answer = co_await resolver.resolve(loop, std::move(host), context);
}

class SystemResolverThreads : public testing::Test {
 protected:
  SystemResolverThreads() : loop_(clock_), resolver_(hand_, names_.lookup()) {}

  Answer resolve(SystemResolver& resolver, std::string host) {
    Answer answer;
    runtime::Cancellation cancellation;
    const runtime::CallContext context{cancellation};
    run_to_end(loop_, resolve_into(loop_, resolver, std::move(host), context, answer));
    return answer;
  }
  Answer resolve() { return resolve(resolver_, "a.example"); }
  runtime::Task<void> join_two();
  runtime::Task<void> leave_early();

  runtime::SystemClock clock_;
  HandClock hand_;
  Names names_;
  runtime::AsioLoop loop_;
  SystemResolver resolver_;
};

// The one name that every machine knows, through the real system.
TEST_F(SystemResolverThreads, KnowsLocalhost) {
  SystemResolver real(clock_);
  const Answer answer = resolve(real, "localhost");
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->front().loopback());
  EXPECT_EQ(answer->front().port, 0);
}

// A dial must not cost a question.
TEST_F(SystemResolverThreads, AsksOnceWhileFresh) {
  ASSERT_TRUE(resolve());
  hand_.move(SystemResolver::kFresh - 1ns);
  ASSERT_TRUE(resolve());
  EXPECT_EQ(names_.answered(), 1);
}

// A slow name server must not be felt once a name is known.
TEST_F(SystemResolverThreads, GivesTheOldAnswerAndAsksAnew) {
  ASSERT_TRUE(resolve());
  hand_.move(SystemResolver::kFresh);
  names_.set(std::vector<Address>{Address{.ip = {10, 0, 0, 2}}});
  names_.hold();
  const Answer old = resolve();
  ASSERT_TRUE(old);
  EXPECT_EQ(old->front().ip[3], 1);
  names_.let_go();
  names_.wait_for(2);
  // The answer is stored a moment after it was given; until then the old one is right, too.
  std::uint8_t last = 1;
  while (last == 1) last = resolve()->front().ip[3];
  EXPECT_EQ(last, 2);
}

// A name server that is down must not take known upstreams with it.
TEST_F(SystemResolverThreads, KeepsTheLastGoodAnswerOnFailure) {
  ASSERT_TRUE(resolve());
  names_.set(fail(ErrorCode::kUpstreamUnavailable));
  hand_.move(SystemResolver::kFresh);
  ASSERT_TRUE(resolve());
  names_.wait_for(2);
  EXPECT_TRUE(resolve());
}

// A misspelt name must not be asked for at every request, yet be found soon after it appears.
TEST_F(SystemResolverThreads, KeepsAFailureForASecond) {
  names_.set(fail(ErrorCode::kUpstreamUnavailable));
  EXPECT_FALSE(resolve());
  EXPECT_FALSE(resolve());
  EXPECT_EQ(names_.answered(), 1);
  hand_.move(SystemResolver::kFailureKept);
  names_.set(std::vector<Address>{Address{.ip = {10, 0, 0, 2}}});
  EXPECT_TRUE(resolve());
}

runtime::Task<void> SystemResolverThreads::join_two() {
  runtime::Cancellation cancellation;
  const runtime::CallContext context{cancellation};
  Answer first;
  Answer second;
  names_.hold();
  runtime::TaskGroup tasks;
  tasks.spawn(resolve_into(loop_, resolver_, "a.example", context, first));
  tasks.spawn(resolve_into(loop_, resolver_, "a.example", context, second));
  names_.let_go();
  co_await tasks.join();
  EXPECT_TRUE(first.has_value() && !first->empty());
  EXPECT_TRUE(second.has_value() && !second->empty());
  EXPECT_EQ(names_.answered(), 1);
}

// A burst of first requests is one question.
TEST_F(SystemResolverThreads, CallersOfOneNameShareAQuestion) { run_to_end(loop_, join_two()); }

runtime::Task<void> SystemResolverThreads::leave_early() {
  runtime::Cancellation cancellation;
  Answer gone;
  Answer late;
  names_.hold();
  runtime::TaskGroup tasks;
  const TimePoint soon = clock_.now() + 5ms;
  tasks.spawn(
      resolve_into(loop_, resolver_, "a.example", runtime::CallContext{cancellation, soon}, late));
  tasks.spawn(
      resolve_into(loop_, resolver_, "a.example", runtime::CallContext{cancellation}, gone));
  runtime::Alarm after(loop_);
  EXPECT_FALSE(co_await after.until(soon + 20ms));
  EXPECT_EQ(tasks.running(), 1U);
  cancellation.request(runtime::StopReason::kClientGone);
  co_await tasks.join();
  names_.let_go();
  EXPECT_EQ(gone.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(late.error().code, ErrorCode::kDeadlineExceeded);
}

// The answer comes when nobody is there any more, perhaps not even the loop.
TEST_F(SystemResolverThreads, CallersMayLeaveBeforeTheAnswer) { run_to_end(loop_, leave_early()); }

// Names come from configuration, but also from discovery: memory has to have an end.
TEST_F(SystemResolverThreads, ForgetsTheOldestNameAtTheBound) {
  ASSERT_TRUE(resolve());
  hand_.move(1ms);
  for (std::size_t i = 0; i < SystemResolver::kNamesMax; ++i)
    ASSERT_TRUE(resolve(resolver_, std::to_string(i) + ".example"));
  const int before = names_.answered();
  ASSERT_TRUE(resolve());
  EXPECT_EQ(names_.answered(), before + 1);
}

}  // namespace
}  // namespace penstock::net
