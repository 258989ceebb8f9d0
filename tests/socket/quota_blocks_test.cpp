// Blocks of a ceiling in the script of shared quotas, on a real Redis.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "control/block.h"
#include "control/epoch_watch.h"
#include "control/rate_bucket.h"
#include "runtime/task.h"
#include "store/quota_store.h"
#include "tests/socket/quota_rig.h"

namespace penstock::store {
namespace {

using control::BlockGrant;
using runtime::Task;
using End = QuotaAnswer::End;

// What a gateway wants of a ceiling.
struct Want {
  std::string_view gateway = "one";
  std::uint32_t need = 1;
  std::uint32_t want = 1;
  std::uint64_t version = 1;
  std::uint32_t limit = 10;
  std::uint32_t mark = 10;
  std::uint32_t emergency = 10;
  control::Epoch seen{};
};

Task<std::optional<BlockGrant>> granted(QuotaRig& rig, Want want) {
  QuotaAsk ask = ask_for({}, 0, want.seen);
  ask.ceilings[ask.ceiling_count++] = {.key = "q:{acme}:in_flight",
                                       .limit = want.limit,
                                       .mark = want.mark,
                                       .need = want.need,
                                       .want = want.want,
                                       .version = want.version,
                                       .emergency = want.emergency};
  const std::optional<QuotaAnswer> answer = co_await rig.take(ask, want.gateway);
  EXPECT_TRUE(answer.has_value());
  if (!answer || answer->end != End::kTaken) co_return std::nullopt;
  co_return answer->grants[0];
}

Task<void> expect_grant(QuotaRig& rig, Want want, std::uint32_t places, std::uint32_t others) {
  const std::optional<BlockGrant> grant = co_await granted(rig, want);
  EXPECT_TRUE(grant.has_value());
  if (!grant) co_return;
  EXPECT_EQ(grant->granted, places);
  EXPECT_EQ(grant->others, others);
}

// Together the gateways never have more than the ceiling.
TEST(QuotaBlocks, AddUpToTheCeiling) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_grant(rig, {.need = 6, .want = 6}, 6, 0);
    co_await expect_grant(rig, {.gateway = "two", .need = 4, .want = 4}, 4, 6);
    EXPECT_FALSE(co_await granted(rig, {.need = 7, .want = 7, .version = 2}));
    EXPECT_FALSE(co_await granted(rig, {.gateway = "three"}));
    co_await expect_grant(rig, {.gateway = "two", .need = 0, .want = 1, .version = 2}, 1, 6);
    co_await expect_grant(rig, {.need = 7, .want = 7, .version = 3}, 7, 1);
  };
  rig.redis.play(body(rig));
}

// A class that may fill less of it finds the others' places in its way.
TEST(QuotaBlocks, KeepTheSharesOfTheClasses) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_grant(rig, {.need = 5, .want = 5}, 5, 0);
    co_await expect_grant(rig, {.gateway = "two", .need = 2, .want = 2, .mark = 7}, 2, 5);
    EXPECT_FALSE(
        co_await granted(rig, {.gateway = "two", .need = 3, .want = 3, .version = 2, .mark = 7}));
    co_await expect_grant(rig, {.gateway = "two", .need = 3, .want = 3, .version = 3}, 3, 5);
  };
  rig.redis.play(body(rig));
}

// More than is needed is granted only while there is room to spare.
TEST(QuotaBlocks, HaveHeadroomUpToThreeQuarters) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_grant(rig, {.need = 10, .want = 15, .limit = 100, .mark = 100}, 15, 0);
    co_await expect_grant(
        rig, {.gateway = "two", .need = 58, .want = 63, .limit = 100, .mark = 100}, 58, 15);
    // A block that was larger than is needed now stays what it was.
    co_await expect_grant(rig, {.need = 11, .want = 18, .version = 2, .limit = 100, .mark = 100},
                          15, 58);
  };
  rig.redis.play(body(rig));
}

// A gateway that dies gives its places back after fifteen seconds, one that renews does not.
TEST(QuotaBlocks, ExpireUnlessRenewed) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_grant(rig, {.need = 5, .want = 5}, 5, 0);
    co_await expect_grant(rig, {.gateway = "two", .need = 5, .want = 5}, 5, 5);
    rig.now += 5'000'000;
    co_await expect_grant(rig, {.gateway = "two", .need = 0, .want = 5, .version = 2}, 5, 5);
    rig.now += 9'999'999;
    EXPECT_FALSE(co_await granted(rig, {.gateway = "three"}));
    rig.now += 1;
    co_await expect_grant(rig, {.gateway = "three", .need = 5, .want = 5}, 5, 5);
    // The one that was away too long finds its places gone.
    EXPECT_FALSE(co_await granted(rig, {.need = 1, .want = 1, .version = 2}));
    co_await expect_grant(rig, {.need = 0, .want = 5, .version = 3}, 0, 10);
  };
  rig.redis.play(body(rig));
  EXPECT_EQ(rig.server.ask("HLEN q:{acme}:in_flight"), "2");
}

// Until all have told again what they hold, each has its emergency ceiling and nothing to spare.
TEST(QuotaBlocks, AreTightWhileLostDataAreTold) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    const control::Epoch seen{.id = 7, .sequence = 3};
    Want two{.gateway = "two",
             .need = 3,
             .want = 8,
             .limit = 100,
             .mark = 100,
             .emergency = 2,
             .seen = seen};
    EXPECT_FALSE(co_await granted(rig, two));
    two.need = 2;
    co_await expect_grant(rig, two, 2, 0);
    // Who tells what runs there is believed, and who comes without an epoch is told of the loss.
    Want one{.need = 0, .want = 60, .limit = 100, .mark = 100, .emergency = 2, .seen = seen};
    co_await expect_grant(rig, one, 60, 2);
    Want three{.gateway = "three", .need = 3, .want = 3, .limit = 100, .mark = 100, .emergency = 2};
    EXPECT_FALSE(co_await granted(rig, three));
    rig.now += 5'999'999;
    two.need = 3;
    two.version = 2;
    EXPECT_FALSE(co_await granted(rig, two));
    rig.now += 1;
    co_await expect_grant(rig, two, 8, 60);
  };
  rig.redis.play(body(rig));
}

// A caller with every limit there is, for the first time: all of it is asked in one call.
TEST(QuotaBlocks, AreAskedTogetherWithEveryBucket) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    const std::vector<control::Rate> rates(QuotaAsk::kBucketsMax,
                                           control::Rate{.units = 1, .per = 1h, .burst = 5});
    QuotaAsk ask = ask_for(rates, 2);
    for (const std::string_view key : {"q:{acme}:in_flight", "q:{acme}:w:in_flight"})
      ask.ceilings[ask.ceiling_count++] = {.key = key,
                                           .limit = UINT32_MAX,
                                           .mark = UINT32_MAX,
                                           .need = 1,
                                           .want = 1,
                                           .version = UINT64_MAX >> 12,
                                           .emergency = UINT32_MAX};
    const std::optional<QuotaAnswer> answer = co_await rig.take(ask);
    EXPECT_TRUE(answer && answer->end == End::kTaken);
    if (!answer) co_return;
    EXPECT_EQ(answer->grants[0].granted, 1U);
    EXPECT_EQ(answer->grants[1].granted, 1U);
    EXPECT_EQ(answer->full_in[2], 2h);
  };
  rig.redis.play(body(rig));
}

// Of two settings that cross, the one that was made later holds.
TEST(QuotaBlocks, TheLaterSettingHolds) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_grant(rig, {.need = 6, .want = 6, .version = 2}, 6, 0);
    const std::optional<BlockGrant> late = co_await granted(rig, {.need = 5, .version = 1});
    EXPECT_TRUE(late && late->granted == 6 && late->version == 2);
    EXPECT_FALSE(co_await granted(rig, {.need = 7, .want = 7, .version = 1}));
  };
  rig.redis.play(body(rig));
}

// What runs stays known when the limit is lowered below it: refusing it would only hide it.
TEST(QuotaBlocks, KeepWhatRunsUnderALoweredLimit) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_grant(rig, {.need = 6, .want = 6}, 6, 0);
    co_await expect_grant(rig, {.gateway = "two", .need = 4, .want = 4}, 4, 6);
    Want two{.gateway = "two", .need = 0, .want = 4, .version = 2, .limit = 5, .mark = 5};
    co_await expect_grant(rig, two, 4, 6);
    two.version = 3;
    two.want = 3;
    co_await expect_grant(rig, two, 3, 6);
    two.version = 4;
    two.want = 4;  // no more than it had
    co_await expect_grant(rig, two, 3, 6);
    EXPECT_FALSE(
        co_await granted(rig, {.need = 3, .want = 3, .version = 2, .limit = 5, .mark = 5}));
  };
  rig.redis.play(body(rig));
}

// Redis' clock goes back by an hour: nobody's places are lost, and none stays for an hour.
TEST(QuotaBlocks, SurviveAClockThatGoesBack) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_grant(rig, {.need = 6, .want = 6}, 6, 0);
    rig.now -= 3'600'000'000;
    EXPECT_FALSE(co_await granted(rig, {.gateway = "two", .need = 5, .want = 5}));
    rig.now += 15'000'001;
    co_await expect_grant(rig, {.gateway = "two", .need = 5, .want = 5, .version = 2}, 5, 0);
  };
  rig.redis.play(body(rig));
}

}  // namespace
}  // namespace penstock::store
