#include "control/fair_queue.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/priority.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};
constexpr TimePoint kLater{2h};

Waiter waiter(std::uint64_t id, std::uint32_t tenant, Priority priority = Priority::kInteractive) {
  return {.id = id, .tenant = tenant, .priority = priority, .until = kLater};
}

std::vector<std::uint64_t> drained(FairQueue& queue) {
  std::vector<std::uint64_t> ids;
  while (const std::optional<Waiter> next = queue.next(kStart, Priority::kBatch))
    ids.push_back(next->id);
  return ids;
}

// Hand-computed: tenants take turns, each of them in its own order.
TEST(FairQueue, RoundRobinOverTenantsAndFifoWithin) {
  FairQueue queue(10);
  for (const auto& [id, tenant] :
       {std::pair{1U, 7U}, {2U, 7U}, {3U, 7U}, {4U, 8U}, {5U, 9U}, {6U, 8U}})
    EXPECT_TRUE(queue.offer(waiter(id, tenant)).ticket.has_value());
  EXPECT_EQ(drained(queue), (std::vector<std::uint64_t>{1, 4, 5, 2, 6, 3}));
  EXPECT_EQ(queue.waiting(), 0U);
}

// A better class goes first whoever came first; a class that may not start yet stays.
TEST(FairQueue, TheBestClassGoesFirst) {
  FairQueue queue(10);
  static_cast<void>(queue.offer(waiter(1, 1, Priority::kBatch)));
  static_cast<void>(queue.offer(waiter(2, 1, Priority::kStandard)));
  static_cast<void>(queue.offer(waiter(3, 2, Priority::kInteractive)));
  EXPECT_EQ(queue.next(kStart, Priority::kStandard)->id, 3U);
  EXPECT_EQ(queue.next(kStart, Priority::kStandard)->id, 2U);
  EXPECT_FALSE(queue.next(kStart, Priority::kStandard).has_value());
  EXPECT_FALSE(queue.any(Priority::kStandard));
  EXPECT_TRUE(queue.any(Priority::kBatch));
  EXPECT_EQ(queue.next(kStart, Priority::kBatch)->id, 1U);
  EXPECT_FALSE(queue.any(Priority::kBatch));
}

// The shares hold for the queue's places: batch may take 7 of 10, standard 9.
TEST(FairQueue, ClassesHaveTheirSharesOfThePlaces) {
  FairQueue queue(10);
  std::uint64_t id = 0;
  const auto fill = [&](Priority priority) {
    while (queue.offer(waiter(++id, 1, priority)).ticket) {
    }
    return queue.waiting();
  };
  EXPECT_EQ(fill(Priority::kBatch), 7U);
  EXPECT_EQ(fill(Priority::kStandard), 9U);
  EXPECT_EQ(fill(Priority::kInteractive), 10U);
}

// When full, the newest of the tenant with most makes room for a tenant with fewer.
TEST(FairQueue, ANewcomerReplacesTheNewestOfTheTenantWithMost) {
  FairQueue queue(5);
  for (std::uint64_t id = 1; id <= 3; ++id) static_cast<void>(queue.offer(waiter(id, 1)));
  for (std::uint64_t id = 4; id <= 5; ++id) static_cast<void>(queue.offer(waiter(id, 2)));
  const Offer third = queue.offer(waiter(6, 3));
  ASSERT_TRUE(third.ticket.has_value());
  EXPECT_EQ(third.replaced, 3U);
  EXPECT_EQ(queue.waiting(), 5U);
  const Offer own = queue.offer(waiter(7, 2));  // has as many as anybody
  EXPECT_FALSE(own.ticket.has_value());
  EXPECT_FALSE(own.replaced.has_value());
  EXPECT_EQ(queue.offer(waiter(8, 4)).replaced, 5U);  // of two with two, the one that came last
  EXPECT_EQ(drained(queue), (std::vector<std::uint64_t>{1, 4, 6, 8, 2}));
}

// A newcomer never takes the place of a better class.
TEST(FairQueue, OnlyTheSameOrALowerClassIsReplaced) {
  FairQueue queue(3);
  static_cast<void>(queue.offer(waiter(1, 1, Priority::kInteractive)));
  static_cast<void>(queue.offer(waiter(2, 1, Priority::kInteractive)));
  static_cast<void>(queue.offer(waiter(3, 1, Priority::kStandard)));
  EXPECT_FALSE(queue.offer(waiter(4, 2, Priority::kBatch)).ticket.has_value());
  EXPECT_EQ(queue.offer(waiter(5, 2, Priority::kStandard)).replaced, 3U);
  EXPECT_EQ(queue.offer(waiter(6, 3, Priority::kInteractive)).replaced, 2U);
}

// A waiter whose time is up never gets the place; it stands there until it leaves.
TEST(FairQueue, ExpiredWaitersArePassedOver) {
  FairQueue queue(4);
  Waiter early = waiter(1, 1);
  early.until = kStart;
  const QueueTicket first = *queue.offer(early).ticket;
  static_cast<void>(queue.offer(waiter(2, 1)));
  early.id = 3;
  early.tenant = 2;
  const QueueTicket third = *queue.offer(early).ticket;
  EXPECT_EQ(queue.next(kStart, Priority::kBatch)->id, 2U);
  EXPECT_FALSE(queue.next(kStart, Priority::kBatch).has_value());
  EXPECT_EQ(queue.waiting(), 2U);
  EXPECT_TRUE(queue.leave(first));
  EXPECT_TRUE(queue.leave(third));
  EXPECT_EQ(queue.waiting(), 0U);
}

// Leaving frees the place at once; a ticket of a place that changed hands does nothing.
TEST(FairQueue, LeavingIsExact) {
  FairQueue queue(1);
  const QueueTicket first = *queue.offer(waiter(1, 1)).ticket;
  EXPECT_TRUE(queue.leave(first));
  EXPECT_FALSE(queue.leave(first));
  ASSERT_TRUE(queue.offer(waiter(2, 1)).ticket.has_value());
  EXPECT_FALSE(queue.leave(first));
  EXPECT_EQ(queue.waiting(), 1U);
}

// No places: everybody is refused, nothing breaks.
TEST(FairQueue, AQueueOfNoneRefuses) {
  FairQueue queue(0);
  EXPECT_FALSE(queue.offer(waiter(1, 1)).ticket.has_value());
  EXPECT_FALSE(queue.next(kStart, Priority::kBatch).has_value());
}

// Against a plain model over random schedules: nobody is lost or served twice, the bound holds, and
// between two tenants that both wait throughout, turns differ by at most one.
TEST(FairQueue, MatchesAModelOverRandomSchedules) {
  const std::uint64_t seed = test::seed_of_test(4);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (int round = 0; round < 30; ++round) {
    FairQueue queue(static_cast<std::uint32_t>(1 + rng.below(12)));
    std::map<std::uint64_t, std::pair<Waiter, QueueTicket>> inside;
    TimePoint now = kStart;
    for (std::uint64_t id = 1; id < 400; ++id) {
      now += Duration(rng.below(1000));
      const std::uint64_t what = rng.below(10);
      if (what < 5) {
        const Waiter newcomer{.id = id,
                              .tenant = static_cast<std::uint32_t>(rng.below(4)),
                              .priority = static_cast<Priority>(rng.below(3)),
                              .until = now + Duration(rng.below(20'000))};
        const Offer offer = queue.offer(newcomer);
        if (offer.replaced) {
          ASSERT_LE(inside.at(*offer.replaced).first.priority, newcomer.priority);
          ASSERT_EQ(inside.erase(*offer.replaced), 1U);
        }
        if (offer.ticket) inside[id] = {newcomer, *offer.ticket};
      } else if (what < 8) {
        const std::optional<Waiter> next = queue.next(now, Priority::kBatch);
        const auto live = std::ranges::count_if(
            inside, [&](const auto& entry) { return entry.second.first.until > now; });
        ASSERT_EQ(next.has_value(), live > 0);
        if (next) {
          for (const auto& [other, held] : inside) {
            if (held.first.until <= now) continue;
            ASSERT_LE(held.first.priority, next->priority);
            if (held.first.tenant == next->tenant && held.first.priority == next->priority)
              ASSERT_GE(held.second.arrival, inside.at(next->id).second.arrival);
          }
          ASSERT_EQ(inside.erase(next->id), 1U);
        }
      } else if (what == 8 && !inside.empty()) {
        ASSERT_TRUE(queue.leave(inside.begin()->second.second));
        inside.erase(inside.begin());
      } else {  // whose time is up leaves, as its timer would have it
        const auto expired = std::ranges::find_if(
            inside, [&](const auto& entry) { return entry.second.first.until <= now; });
        if (expired != inside.end()) {
          ASSERT_TRUE(queue.leave(expired->second.second));
          inside.erase(expired);
        }
      }
      ASSERT_EQ(queue.waiting(), inside.size());
      for (std::uint32_t tenant = 0; tenant < 4; ++tenant)
        ASSERT_EQ(queue.waiting_of(tenant), std::ranges::count_if(inside, [&](const auto& entry) {
                    return entry.second.first.tenant == tenant;
                  }));
    }
  }
}

}  // namespace
}  // namespace penstock::control
