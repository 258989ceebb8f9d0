#include "gateway/block_keeper.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "control/block.h"
#include "control/epoch_watch.h"
#include "gateway/caller_limits.h"
#include "gateway/shared_limits.h"
#include "gateway/snapshot.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/quota_store.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

constexpr Duration kLook = 200ms;      // for lost data
constexpr int kLooksPerTending = 5;    // while none are
constexpr Duration kRenewalLost = 1s;  // what was told within it may be known, or lost, too
constexpr Duration kHurry = 2s;        // so that this is told again as well
constexpr Duration kLastWords = 1s;

}  // namespace

struct BlockKeeper::Held {
  std::string_view tenant;
  const CallerLimits* limits = nullptr;
  const CallerLimits* of_tenant = nullptr;
};

BlockKeeper::BlockKeeper(runtime::EventLoop& loop, store::QuotaStore& store,
                         std::shared_ptr<const Snapshot> snapshot)
    : loop_(loop), store_(store), snapshot_(std::move(snapshot)), alarm_(loop) {}

void BlockKeeper::start() { group_.spawn(run()); }

Task<void> BlockKeeper::close() {
  stopping_ = true;
  alarm_.wake_soon();
  co_await group_.join();
}

Task<void> BlockKeeper::run() {
  for (int look = 1; !stopping_; ++look) {
    ignore(co_await alarm_.until(loop_.clock().now() + kLook), "looks at stopping_ next");
    if (data_lost(*snapshot_)) hurry_until_ = loop_.clock().now() + kHurry;
    const bool hurry = loop_.clock().now() < hurry_until_;
    if (stopping_ || hurry || look % kLooksPerTending == 0) co_await tend_all();
  }
}

// A tenant more, or less, is taken for a loss, too: it costs a renewal.
bool BlockKeeper::data_lost(const Snapshot& snapshot) {
  std::uint64_t now = 0;
  for (const auto& [unused, tenant] : snapshot.tenants)
    now += tenant.limits.state->shared.epoch.generation();
  const std::uint64_t before = std::exchange(generations_, now);
  return before != 0 && before != now;
}

std::vector<BlockKeeper::Held> BlockKeeper::all_of(const Snapshot& snapshot) const {
  std::vector<Held> all;
  for (const auto& [name, tenant] : snapshot.tenants) {
    const auto add = [&](const CallerLimits& limits) {
      if (limits.in_flight && limits.shared != nullptr)
        all.push_back({.tenant = name, .limits = &limits, .of_tenant = &tenant.limits});
    };
    add(tenant.limits);
    for (const auto& [unused, workload] : tenant.workloads) add(workload.limits);
  }
  return all;
}

// What to tell the store of this one now.
std::optional<control::Block::Setting> BlockKeeper::due(const Held& held) const {
  if (!store_.available(held.tenant)) return std::nullopt;
  const TimePoint now = loop_.clock().now();
  LimitState& state = *held.limits->state;
  control::Block& block = state.shared.block;
  const Duration renewal = now < hurry_until_ ? kRenewalLost : control::Block::kRenewal;
  const std::optional<control::Block::Setting> setting =
      block.tend(state.in_flight.in_flight(), *held.limits->in_flight, now, renewal);
  if (!stopping_ || block.granted() == 0) return setting;
  return control::Block::Setting{.version = block.mint(), .want = 0};
}

Task<void> BlockKeeper::tend_all() {
  const std::shared_ptr<const Snapshot> snapshot = snapshot_;
  const std::vector<Held> all = all_of(*snapshot);
  const TimePoint patience = loop_.clock().now() + kLastWords;
  runtime::TaskGroup telling;
  for (const Held& held : all) {
    if (stopping_ && loop_.clock().now() >= patience) break;
    if (const std::optional<control::Block::Setting> setting = due(held))
      telling.spawn(set(held, *setting));
    if (telling.running() == kAtOnce) co_await telling.join();
  }
  co_await telling.join();
}

Task<void> BlockKeeper::set(Held held, control::Block::Setting setting) {
  control::EpochWatch& epoch = held.of_tenant->state->shared.epoch;
  store::QuotaAsk ask;
  ask.owner = {.tenant = held.tenant,
               .epoch_key = held.of_tenant->shared->epoch_key,
               .seen = epoch.seen(loop_.clock().now())};
  ask.ceilings[ask.ceiling_count++] = {.key = held.limits->shared->in_flight_key,
                                       .limit = *held.limits->in_flight,
                                       .mark = *held.limits->in_flight,
                                       .need = 0,
                                       .want = setting.want,
                                       .version = setting.version,
                                       .emergency = 0};
  const TimePoint sent = loop_.clock().now();
  const std::optional<store::QuotaAnswer> answer = co_await store_.take(ask, TimePoint::max());
  if (!answer) co_return;
  epoch.note(answer->epoch, loop_.clock().now());
  held.limits->state->shared.block.apply(answer->grants[0], epoch.generation(), sent);
}

}  // namespace penstock::gateway
