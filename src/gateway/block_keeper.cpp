#include "gateway/block_keeper.h"

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
#include "store/quota_store.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

constexpr Duration kEvery = 1s;
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
  while (!stopping_) {
    ignore(co_await alarm_.until(loop_.clock().now() + kEvery), "looks at stopping_ next");
    co_await tend_all();
  }
}

// One after the other: nobody waits for it.
Task<void> BlockKeeper::tend_all() {
  const std::shared_ptr<const Snapshot> snapshot = snapshot_;
  std::vector<Held> all;
  for (const auto& [name, tenant] : snapshot->tenants) {
    const auto add = [&](const CallerLimits& limits) {
      if (limits.in_flight && limits.shared != nullptr)
        all.push_back({.tenant = name, .limits = &limits, .of_tenant = &tenant.limits});
    };
    add(tenant.limits);
    for (const auto& [unused, workload] : tenant.workloads) add(workload.limits);
  }
  const TimePoint patience = loop_.clock().now() + kLastWords;
  for (const Held& held : all) {
    const bool leaving = stopping_;
    const TimePoint now = loop_.clock().now();
    if (leaving && now >= patience) co_return;
    if (!store_.available(held.tenant)) continue;
    LimitState& state = *held.limits->state;
    std::optional<control::Block::Setting> setting =
        state.shared.block.tend(state.in_flight.in_flight(), *held.limits->in_flight, now);
    if (leaving && state.shared.block.granted() != 0)
      setting = {.version = state.shared.block.mint(), .want = 0};
    if (setting) co_await set(held, *setting);
  }
}

Task<void> BlockKeeper::set(const Held& held, control::Block::Setting setting) {
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
                                       .version = setting.version};
  const TimePoint sent = loop_.clock().now();
  const std::optional<store::QuotaAnswer> answer = co_await store_.take(ask, TimePoint::max());
  if (!answer) co_return;
  epoch.note(answer->epoch, loop_.clock().now());
  held.limits->state->shared.block.apply(answer->grants[0], epoch.generation(), sent);
}

}  // namespace penstock::gateway
