// What goes back to shared buckets later: takes that nobody heard the outcome of, and settlements
// that the store was not there for. On a real Redis.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/units.h"
#include "control/rate_bucket.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/rest.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/quota_call.h"
#include "store/quota_store.h"
#include "store/redis/endpoint.h"
#include "store/redis_quotas.h"
#include "tests/socket/loop_thread.h"
#include "tests/socket/quota_rig.h"
#include "tests/socket/redis_proxy.h"
#include "tests/socket/redis_rig.h"
#include "tests/socket/redis_server.h"

namespace penstock::store {
namespace {

using control::Rate;
using runtime::Task;
using End = QuotaAnswer::End;

// Nothing refills while a test runs.
constexpr std::uint64_t kCapacity = 100;
const std::vector<Rate> kHourly{{.units = 100, .per = 1000h, .burst = kCapacity}};
constexpr std::string_view kRecord = "q:{acme}:take:1";

TakeAs recorded(std::uint64_t epoch_new = 7) {
  return {.gateway = "one", .epoch_new = epoch_new, .record = kRecord};
}

Task<void> expect_left(QuotaRig& rig, std::uint64_t left) {
  EXPECT_EQ(rig.server.ask("EXISTS q:{acme}:b0"), left == kCapacity ? "0" : "1");
  QuotaAsk ask = ask_for(kHourly, left, {7, 1});
  std::optional<QuotaAnswer> answer = co_await rig.take(ask);
  EXPECT_TRUE(answer && answer->end == End::kTaken) << left;
  ask.cost = 1;
  answer = co_await rig.take(ask);
  EXPECT_TRUE(answer && answer->end == End::kWait) << left;
}

// Also what it had taken for a slice; and once, however often it is told.
TEST(QuotaUndo, GivesBackOnceWhatRan) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    QuotaAsk ask = ask_for(kHourly, 30);
    ask.more = 20;
    const std::optional<TakeReply> taken = co_await rig.take_as(ask, recorded());
    EXPECT_TRUE(taken && taken->answer.more == 20);
    EXPECT_GT(std::stol(rig.server.ask("PTTL " + std::string(kRecord))), 0);
    const std::optional<QuotaAnswer> other = co_await rig.take(ask_for(kHourly, 15, {7, 1}));
    EXPECT_TRUE(other && other->end == End::kTaken);
    EXPECT_TRUE(co_await rig.undo(ask, kRecord));
    EXPECT_FALSE(co_await rig.undo(ask, kRecord));
    co_await expect_left(rig, 85);
  };
  rig.redis.play(body(rig));
}

// The bytes of a take may lie on their way for longer than its undo.
TEST(QuotaUndo, KeepsATakeThatComesLaterFromRunning) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    const QuotaAsk ask = ask_for(kHourly, 30);
    EXPECT_FALSE(co_await rig.undo(ask, kRecord));
    EXPECT_GT(std::stol(rig.server.ask("PTTL " + std::string(kRecord))), 0);
    EXPECT_FALSE(co_await rig.take_as(ask, recorded()));
    co_await expect_left(rig, kCapacity);
  };
  rig.redis.play(body(rig));
}

// A take that was refused took nothing, and data that began anew were not taken from.
TEST(QuotaUndo, GivesNothingBackThatWasNotTakenFromTheseData) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    const std::optional<QuotaAnswer> first = co_await rig.take(ask_for(kHourly, 80));
    EXPECT_TRUE(first.has_value());
    QuotaAsk ask = ask_for(kHourly, 30, {7, 1});
    const std::optional<TakeReply> refused = co_await rig.take_as(ask, recorded());
    EXPECT_TRUE(refused && refused->answer.end == End::kWait);
    EXPECT_TRUE(co_await rig.undo(ask, kRecord));
    EXPECT_EQ(rig.server.ask("DEL " + std::string(kRecord)), "1");
    co_await expect_left(rig, 20);
    EXPECT_EQ(rig.server.ask("FLUSHALL"), "OK");
    const std::optional<TakeReply> taken = co_await rig.take_as(ask_for(kHourly, 30), recorded());
    EXPECT_TRUE(taken.has_value());
    const QuotaAsk newer = ask_for(kHourly, 30, {7, 50});  // a lower count: another epoch
    const std::optional<TakeReply> lost =
        co_await rig.take_as(newer, {.gateway = "one", .epoch_new = 8, .record = {}});
    EXPECT_TRUE(lost && lost->answer.epoch.id == 8);
    EXPECT_FALSE(co_await rig.undo(ask, kRecord));
  };
  rig.redis.play(body(rig));
}

// A call that began under a higher limit, or a lower one, ends under the one that is in force: it
// neither forgives a debt nor lets it refill faster.
TEST(QuotaLimits, ASettlementGoesByTheLimitInForce) {
  for (const Rate& before : {Rate{.units = 1000, .per = 1s, .burst = 1000},
                             Rate{.units = 1, .per = 1000h, .burst = 10}}) {
    QuotaRig rig;
    const auto body = [](QuotaRig& rig, Rate before) -> Task<void> {
      const std::optional<QuotaAnswer> taken = co_await rig.take(ask_for(kHourly, 90));
      EXPECT_TRUE(taken.has_value());
      rig.now += 500'000;
      const QuotaAsk names = ask_for({before}, 0, {7, 1});
      QuotaSettlement late{
          .owner = names.owner, .buckets = std::span(names.buckets).first(1), .charge = 4};
      EXPECT_TRUE(co_await rig.settle(late));
      late.charge = 0;
      late.back = 1;
      EXPECT_TRUE(co_await rig.settle(late));
      co_await expect_left(rig, 7);
    };
    rig.redis.play(body(rig, before));
  }
}

TEST(QuotaLimits, ALimitThatDiffersIsTold) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    const Rate other{.units = 100, .per = 1000h, .burst = 90};
    const TakeAs as{.gateway = "one", .epoch_new = 7, .record = {}};
    std::optional<TakeReply> reply = co_await rig.take_as(ask_for({kHourly[0], other}, 1), as);
    EXPECT_TRUE(reply && !reply->differs);
    reply = co_await rig.take_as(ask_for({kHourly[0], kHourly[0]}, 1, {7, 1}), as);
    EXPECT_TRUE(reply && reply->differs == 1U);
    reply = co_await rig.take_as(ask_for({kHourly[0], kHourly[0]}, 1, {7, 2}), as);
    EXPECT_TRUE(reply && !reply->differs);
  };
  rig.redis.play(body(rig));
}

// One loop of a gateway, which reaches its Redis through a proxy.
struct Gateway {
  Gateway()
      : proxy(loop, dialer, server.port()),
        shared(std::make_shared<const redis::Endpoint>(redis::endpoint_at(proxy.port())), 50ms, "g",
               log),
        quotas(loop, dialer, std::make_unique<runtime::SystemRng>(), shared) {}
  Task<void> pause(Duration time) {
    runtime::Cancellation never;
    ignore(co_await runtime::rest_until(loop, never, clock.now() + time), "nobody cancels");
  }
  // Until the bucket is full again.
  Task<bool> full_within(Duration time) {
    const TimePoint end = clock.now() + time;
    while (server.ask("EXISTS q:{acme}:b0") != "0" && clock.now() < end) co_await pause(20ms);
    co_return server.ask("EXISTS q:{acme}:b0") == "0";
  }
  Task<void> play_and_close(Task<void> body) {
    quotas.start();
    co_await std::move(body);
    co_await quotas.close();
    co_await proxy.close();
  }
  void play(Task<void> body) { net::run_to_end(loop, play_and_close(std::move(body))); }

  redis::RedisServer server;
  runtime::SystemClock clock;
  runtime::AsioLoop loop{clock};
  net::SystemResolver resolver{clock};
  net::TcpDialer dialer{resolver};
  redis::LoggedLines log;
  redis::RedisProxy proxy;
  SharedQuotas shared;
  RedisQuotas quotas;
};

Task<void> take_in_vain(Gateway& gateway) {
  const QuotaAsk ask = ask_for(kHourly, 3);
  const std::optional<QuotaAnswer> answer = co_await gateway.quotas.take(ask, TimePoint::max());
  EXPECT_FALSE(answer.has_value());
}

Task<void> take_well(Gateway& gateway, std::uint64_t cost) {
  const QuotaAsk ask = ask_for(kHourly, cost);
  const std::optional<QuotaAnswer> answer = co_await gateway.quotas.take(ask, TimePoint::max());
  EXPECT_TRUE(answer && answer->end == End::kTaken);
}

// It ran, and its reply was lost.
TEST(QuotaOwed, AnAnswerThatWasLostTakesNothing) {
  Gateway gateway;
  const auto body = [](Gateway& gateway) -> Task<void> {
    co_await take_well(gateway, 0);
    gateway.proxy.cut_after(0);
    co_await take_in_vain(gateway);
    EXPECT_EQ(gateway.server.ask("EXISTS q:{acme}:b0"), "1");
    EXPECT_TRUE(co_await gateway.full_within(5s));
  };
  gateway.play(body(gateway));
  EXPECT_EQ(gateway.shared.standing.drops(), 0U);
}

// The server is frozen with takes on their way to it, and runs them when it is thawed or not.
TEST(QuotaOwed, TakesThatTimedOutTakeNothing) {
  Gateway gateway;
  const auto body = [](Gateway& gateway) -> Task<void> {
    co_await take_well(gateway, 0);
    gateway.server.freeze();
    runtime::TaskGroup all;
    for (int i = 0; i < 30; ++i) all.spawn(take_in_vain(gateway));
    co_await all.join();
    gateway.server.thaw();
    EXPECT_TRUE(co_await gateway.full_within(5s));
    co_await gateway.pause(600ms);  // two looks
    EXPECT_TRUE(co_await gateway.full_within(0s));
    co_await take_well(gateway, kCapacity);
  };
  gateway.play(body(gateway));
}

// What a call gave up while the store was away goes back when that has come back, as far as it is
// remembered.
TEST(QuotaOwed, SettlementsThatWereNotSentAreSentLater) {
  Gateway gateway;
  const auto body = [](Gateway& gateway) -> Task<void> {
    const std::vector<Rate> large{{.units = 1, .per = 1000h, .burst = 10'000}};
    const QuotaAsk names = ask_for(large, RedisQuotas::kOwedMax);
    const std::optional<QuotaAnswer> taken = co_await gateway.quotas.take(names, TimePoint::max());
    EXPECT_TRUE(taken && taken->end == End::kTaken);
    if (!taken) co_return;
    gateway.server.freeze();
    for (int i = 0; i < 100 && gateway.quotas.available("acme"); ++i)
      co_await take_in_vain(gateway);
    EXPECT_FALSE(gateway.quotas.available("acme"));
    QuotaSettlement one{
        .owner = names.owner, .buckets = std::span(names.buckets).first(1), .back = 1};
    one.owner.seen = taken->epoch;
    const std::uint64_t before = gateway.shared.standing.drops();
    for (std::size_t i = 0; i < RedisQuotas::kOwedMax; ++i) gateway.quotas.settle(one);
    const std::uint64_t dropped = gateway.shared.standing.drops() - before;
    EXPECT_GT(dropped, 0U);  // the takes above are owed, too
    EXPECT_LE(dropped, 5U);
    gateway.server.thaw();
    QuotaAsk rest = names;
    rest.cost = 10'000 - dropped;
    bool all = false;
    for (const TimePoint end = gateway.clock.now() + 8s; !all && gateway.clock.now() < end;) {
      const std::optional<QuotaAnswer> answer =
          co_await gateway.quotas.take(rest, TimePoint::max());
      all = answer && answer->end == End::kTaken;
      co_await gateway.pause(20ms);
    }
    EXPECT_TRUE(all);
    rest.cost = 1;
    const std::optional<QuotaAnswer> none = co_await gateway.quotas.take(rest, TimePoint::max());
    EXPECT_TRUE(none && none->end == End::kWait);
  };
  gateway.play(body(gateway));
}

}  // namespace
}  // namespace penstock::store
