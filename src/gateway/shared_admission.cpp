#include "gateway/shared_admission.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "base/units.h"
#include "control/block.h"
#include "control/ceilings.h"
#include "control/epoch_watch.h"
#include "control/in_flight_limit.h"
#include "control/priority.h"
#include "gateway/caller_buckets.h"
#include "gateway/caller_limits.h"
#include "gateway/own_ceilings.h"
#include "gateway/request_scope.h"
#include "gateway/shared_limits.h"
#include "gateway/shared_meter.h"
#include "gateway/token_quota.h"
#include "gateway/worker.h"
#include "runtime/task.h"
#include "store/quota_store.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

// One request on its way past its caller's ceilings and buckets of tokens. What it holds when it
// goes is given back, unless keep() was called.
class SharedEntry {
 public:
  explicit SharedEntry(RequestScope& scope)
      : scope_(scope),
        doors_(own_ceilings(scope)),
        callers_(limited(scope.caller, Metered::kTokens)) {}
  SharedEntry(const SharedEntry&) = delete;
  SharedEntry& operator=(const SharedEntry&) = delete;

  Task<Result<void>> run() {
    if (callers_.count != 0) {
      PENSTOCK_CO_TRY(hold_, tokens_to_hold(scope_, callers_));
    }
    if (doors_.count == 0 && callers_.count == 0) co_return Result<void>();
    if (store_away(scope_)) co_return decide_here();
    PENSTOCK_CO_CHECK(enter_blocks());
    if (hold_ != 0) PENSTOCK_CO_CHECK(take_tokens_in_hand());
    if (asks_ == 0 && (hold_ == 0 || scope_.tokens.held != 0)) {
      keep_places();
      co_return Result<void>();
    }
    co_return co_await ask();
  }

 private:
  // Enters what this gateway holds. Where that is full the store is to say, unless the answer is
  // known: the class has all its places here, or the store had none left a moment ago. A place is
  // held while it is asked for, so that a flood of such questions would have the refused ones take
  // places from the others.
  Result<void> enter_blocks() {
    const control::EpochWatch& epoch = scope_.caller.tenant->limits.state->shared.epoch;
    const TimePoint now = scope_.now();
    for (std::size_t i = 0; i < doors_.count; ++i) {
      const OwnCeiling& door = doors_.all[i];
      LimitState& state = *door.limits->state;
      const std::uint32_t mark = state.shared.block.mark(class_mark(i), epoch.generation(), now);
      if (std::optional<control::Slot> slot = state.in_flight.enter_below(mark)) {
        guests_[i].slot = *std::move(slot);
        continue;
      }
      std::optional<control::InFlightLimit::Guest> guest;
      if (!state.shared.block.known_full(door.as, now))
        guest = state.in_flight.guest_below(class_mark(i));
      if (!guest) return fail(ceiling_reached(door.whose));
      guests_[i] = *std::move(guest);
      asked_[asks_++] = i;
    }
    return {};
  }

  // What was fetched in advance; where that is too little the store is to say, unless it has just
  // refused as much.
  Result<void> take_tokens_in_hand() {
    if (take_slice(scope_, callers_, Metered::kTokens, hold_)) {
      keep_tokens(owner_of(scope_).seen.id);
      return {};
    }
    std::optional<std::unexpected<Error>> refused =
        refused_lately(scope_, callers_, Metered::kTokens, hold_);
    if (!refused) return {};
    return *std::move(refused);
  }

  Task<Result<void>> ask() {
    store::QuotaAsk ask;
    ask.owner = owner_of(scope_);
    const bool tokens = hold_ != 0 && scope_.tokens.held == 0;
    if (tokens) {
      ask.cost = hold_;
      add_buckets(ask, callers_, Metered::kTokens);
    }
    for (std::size_t i = 0; i < asks_; ++i) add_ceiling(ask, asked_[i]);
    std::optional<SliceRefill> refill;
    if (tokens) refill.emplace(scope_, callers_, Metered::kTokens, ask);
    const TimePoint sent = scope_.now();
    const std::optional<store::QuotaAnswer> answer =
        co_await scope_.worker.quotas->take(ask, scope_.patience_end());
    if (!answer) co_return decide_after_silence();
    learn(scope_, *answer, tokens ? callers_ : LimitedCaller(), Metered::kTokens);
    const control::EpochWatch& epoch = scope_.caller.tenant->limits.state->shared.epoch;
    for (std::size_t i = 0; i < asks_; ++i)
      doors_.all[asked_[i]].limits->state->shared.block.apply(answer->grants[i], epoch.generation(),
                                                              sent);
    if (refill) refill->filled(scope_.now(), answer->more);
    if (answer->end == store::QuotaAnswer::End::kFull) note_full(ask, *answer);
    if (answer->end != store::QuotaAnswer::End::kTaken) co_return refused(*answer);
    if (tokens) keep_tokens(answer->epoch.id);
    keep_places();
    co_return Result<void>();
  }

  void add_ceiling(store::QuotaAsk& ask, std::size_t door) {
    const CallerLimits& limits = *doors_.all[door].limits;
    const std::uint32_t need = guests_[door].count;
    ask.ceilings[ask.ceiling_count++] = {.key = limits.shared->in_flight_key,
                                         .limit = *limits.in_flight,
                                         .mark = class_mark(door),
                                         .need = need,
                                         .want = need + control::block_headroom(*limits.in_flight),
                                         .version = limits.state->shared.block.mint(),
                                         .emergency = emergency_mark(door)};
  }

  // Not where a later setting of this gateway crossed it: that says nothing of what is left.
  void note_full(const store::QuotaAsk& ask, const store::QuotaAnswer& answer) {
    const std::size_t by = answer.refused_by;
    if (answer.grants[by].version > ask.ceilings[by].version) return;
    const OwnCeiling& door = doors_.all[asked_[by]];
    door.limits->state->shared.block.note_full(door.as, scope_.now());
  }

  Result<void> refused(const store::QuotaAnswer& answer) {
    settle_tokens(scope_);
    if (answer.end == store::QuotaAnswer::End::kFull)
      return fail(ceiling_reached(doors_.all[asked_[answer.refused_by]].whose));
    return rate_refusal(callers_, Metered::kTokens, answer.refused_by, answer.wait);
  }

  // The store is known to be away.
  Result<void> decide_here() {
    scope_.quota_degraded = true;
    for (std::size_t i = 0; i < doors_.count; ++i) {
      guests_[i] = doors_.all[i].limits->state->in_flight.enter_anyway();
      asked_[asks_++] = i;
    }
    if (hold_ != 0 && take_slice(scope_, callers_, Metered::kTokens, hold_))
      keep_tokens(owner_of(scope_).seen.id);
    return decide_after_silence();
  }

  // What the store did not say is decided by this gateway's own part of the limits.
  Result<void> decide_after_silence() {
    scope_.quota_degraded = true;
    for (std::size_t i = 0; i < asks_; ++i) {
      if (guests_[asked_[i]].count <= emergency_mark(asked_[i])) continue;
      settle_tokens(scope_);
      return fail(ceiling_reached(doors_.all[asked_[i]].whose));
    }
    if (hold_ != 0 && scope_.tokens.held == 0) {
      PENSTOCK_CHECK(take_emergency(scope_, callers_, Metered::kTokens, hold_));
      scope_.tokens = {.held = hold_, .from = HeldTokens::From::kEmergency};
    }
    keep_places();
    return {};
  }

  [[nodiscard]] std::uint32_t class_mark(std::size_t door) const noexcept {
    return control::mark(*doors_.all[door].limits->in_flight, doors_.all[door].as);
  }
  [[nodiscard]] std::uint32_t emergency_mark(std::size_t door) const noexcept {
    const OwnCeiling& its = doors_.all[door];
    return control::mark(its.limits->shared->in_flight_emergency, its.as);
  }
  void keep_tokens(std::uint64_t epoch) noexcept {
    scope_.tokens = {.held = hold_, .from = HeldTokens::From::kShared, .epoch = epoch};
  }
  void keep_places() noexcept {
    for (std::size_t i = 0; i < doors_.count; ++i)
      scope_.caller_slots.add(std::move(guests_[i].slot));
  }

  RequestScope& scope_;
  const OwnCeilings doors_;
  const LimitedCaller callers_;
  std::uint64_t hold_ = 0;
  std::array<control::InFlightLimit::Guest, 2> guests_{};
  std::array<std::size_t, 2> asked_{};  // the doors that the store is asked about
  std::size_t asks_ = 0;
};

}  // namespace

Task<Result<void>> enter_shared(RequestScope& scope) {
  SharedEntry entry(scope);
  co_return co_await entry.run();
}

}  // namespace penstock::gateway
