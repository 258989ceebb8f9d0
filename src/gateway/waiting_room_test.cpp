#include "gateway/waiting_room.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/in_flight_limit.h"
#include "control/priority.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/support/manual_loop.h"

namespace penstock::gateway {
namespace {

using control::Priority;

// One that came to wait.
struct Visit {
  runtime::Cancellation cancellation;
  std::optional<Waited> waited;  // nullopt: still there
  [[nodiscard]] std::optional<WaitEnd> end() const {
    return waited ? std::optional(waited->end) : std::nullopt;
  }
};

class WaitingRoomTest : public testing::Test {
 protected:
  static constexpr std::uint32_t kPlaces = 3;
  explicit WaitingRoomTest(std::uint32_t ceiling) : ceiling_(ceiling) {}

 public:
  WaitingRoomTest() : WaitingRoomTest(1) {}
  ~WaitingRoomTest() override {
    visits_.clear();
    loop_.run_until_idle();
    EXPECT_EQ(ceiling_.in_flight(), 0U);
    EXPECT_EQ(room_.waiting(), 0U);
    EXPECT_EQ(loop_.timers().armed(), 0U);
  }

 protected:
  std::optional<ProcessSlot> enter(Priority priority = Priority::kStandard) {
    return room_.enter(loop_.clock(), priority);
  }
  Visit& come(std::uint32_t tenant = 1, Duration patience = 10s,
              Priority priority = Priority::kStandard) {
    Visit& visit = *visits_.emplace_back(std::make_unique<Visit>());
    group_.spawn(stay(visit, {tenant, priority, loop_.now() + patience}));
    return visit;
  }
  // Ends what the visit was given and lets the loop turn.
  void end(Visit& visit) {
    visit.waited.reset();
    loop_.run_until_idle();
  }

  test::ManualLoop loop_;
  control::InFlightLimit ceiling_;
  WaitingRoom room_{ceiling_, kPlaces};
  runtime::TaskGroup group_;
  std::vector<std::unique_ptr<Visit>> visits_;

 private:
  runtime::Task<void> stay(Visit& visit, WaitingRoom::Guest guest) {
    visit.waited = co_await room_.wait(loop_, visit.cancellation, guest);
  }
};

TEST_F(WaitingRoomTest, HandsAFreedSlotToWhoWaits) {
  std::optional<ProcessSlot> first = enter();
  ASSERT_TRUE(first);
  EXPECT_FALSE(enter());
  const Visit& visit = come();
  EXPECT_EQ(room_.waiting(), 1U);
  loop_.advance(2s);
  EXPECT_FALSE(visit.end());
  first.reset();
  EXPECT_FALSE(enter()) << "it is the waiter's";
  loop_.run_until_idle();
  EXPECT_EQ(visit.end(), WaitEnd::kSlot);
  EXPECT_EQ(visit.waited->waited, Duration(2s));
  EXPECT_EQ(ceiling_.in_flight(), 1U);
}

// A slot that came free between the look and the wait is found at once.
TEST_F(WaitingRoomTest, LooksOnceMore) {
  const Visit& visit = come();
  EXPECT_EQ(visit.end(), WaitEnd::kSlot);
  EXPECT_EQ(visit.waited->waited, Duration(0));
}

TEST_F(WaitingRoomTest, LeavesWhenItsTimeHasCome) {
  std::optional<ProcessSlot> first = enter();
  const Visit& visit = come(1, 600ms);
  loop_.advance(599ms);
  EXPECT_FALSE(visit.end());
  loop_.advance(10ms);
  EXPECT_EQ(visit.end(), WaitEnd::kTime);
  EXPECT_EQ(room_.waiting(), 0U);
  first.reset();
  EXPECT_TRUE(enter()) << "nobody waits any more";
}

TEST_F(WaitingRoomTest, LeavesWhenToldTo) {
  const std::optional<ProcessSlot> first = enter();
  Visit& visit = come();
  visit.cancellation.request(runtime::StopReason::kClientGone);
  EXPECT_FALSE(visit.end()) << "never inside the call";
  loop_.advance(8ms);
  EXPECT_EQ(visit.end(), WaitEnd::kStopped);
  Visit gone;
  gone.cancellation.request(runtime::StopReason::kClientGone);
}

// The slot is on its way to a waiter that leaves at this moment: the next one gets it.
TEST_F(WaitingRoomTest, GivesOnWhatCameTooLate) {
  std::optional<ProcessSlot> first = enter();
  Visit& one = come();
  const Visit& other = come();
  first.reset();  // the post to `one` is not run yet
  one.cancellation.request(runtime::StopReason::kClientGone);
  loop_.advance(8ms);
  EXPECT_EQ(one.end(), WaitEnd::kStopped);
  EXPECT_FALSE(other.end());
  end(one);
  EXPECT_EQ(other.end(), WaitEnd::kSlot);
}

TEST_F(WaitingRoomTest, TakesTurnsBetweenTenants) {
  std::optional<ProcessSlot> first = enter();
  std::vector<Visit*> visits{&come(1), &come(1), &come(2)};
  first.reset();
  loop_.run_until_idle();
  std::string order;
  while (!visits.empty()) {
    for (std::size_t i = 0; i < visits.size(); ++i) {
      if (!visits[i]->end()) continue;
      order += std::to_string(visits[i] == visits_.back().get() ? 2 : 1);
      Visit* const served = visits[i];
      visits.erase(visits.begin() + static_cast<std::ptrdiff_t>(i));
      end(*served);
      break;
    }
  }
  EXPECT_EQ(order, "121");
}

TEST_F(WaitingRoomTest, IsBoundedAndFairWhenFull) {
  const std::optional<ProcessSlot> first = enter();
  const auto urgent = [&](std::uint32_t tenant) -> Visit& {
    return come(tenant, 10s, Priority::kInteractive);
  };
  const Visit& oldest = urgent(1);
  urgent(1);
  const Visit& newest = urgent(1);
  EXPECT_EQ(urgent(1).end(), WaitEnd::kNoPlace);
  const Visit& newcomer = urgent(2);
  loop_.run_until_idle();
  EXPECT_EQ(newest.end(), WaitEnd::kReplaced);
  EXPECT_FALSE(oldest.end());
  EXPECT_FALSE(newcomer.end());
  EXPECT_EQ(room_.waiting(), kPlaces);
  for (const auto& visit : visits_) visit->cancellation.request(runtime::StopReason::kClientGone);
  loop_.advance(8ms);
}

class SharesTest : public WaitingRoomTest {
 protected:
  SharesTest() : WaitingRoomTest(10) {}
};

// Batch waits for its share; what is above it serves the better classes meanwhile.
TEST_F(SharesTest, ABetterClassPassesThoseWhoWaitForTheirShare) {
  std::vector<ProcessSlot> held;
  while (held.size() < 7) held.push_back(*enter(Priority::kBatch));
  EXPECT_FALSE(enter(Priority::kBatch));
  const Visit& batch = come(1, 10s, Priority::kBatch);
  EXPECT_FALSE(batch.end());
  Visit& urgent = come(1, 10s, Priority::kInteractive);
  EXPECT_EQ(urgent.end(), WaitEnd::kSlot);
  held.pop_back();
  loop_.run_until_idle();
  EXPECT_FALSE(batch.end()) << "seven are in";
  end(urgent);
  EXPECT_EQ(batch.end(), WaitEnd::kSlot);
}

TEST_F(WaitingRoomTest, ServesWhenTheCeilingRises) {
  const std::optional<ProcessSlot> first = enter();
  const Visit& visit = come();
  ceiling_.set_limit(2);
  room_.serve(loop_.now());
  loop_.run_until_idle();
  EXPECT_EQ(visit.end(), WaitEnd::kSlot);
}

TEST(WaitingRoom, WithoutPlacesNobodyWaits) {
  test::ManualLoop loop;
  control::InFlightLimit ceiling(1);
  WaitingRoom room(ceiling, 0);
  std::optional<ProcessSlot> slot = room.enter(loop.clock(), Priority::kBatch);
  ASSERT_TRUE(slot);
  EXPECT_FALSE(room.enter(loop.clock(), Priority::kBatch));
  slot.reset();
  EXPECT_TRUE(room.enter(loop.clock(), Priority::kBatch));
}

}  // namespace
}  // namespace penstock::gateway
