#include "fleet/selection.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/field.h"
#include "base/units.h"
#include "control/balancer.h"
#include "control/balancers.h"
#include "control/breaker.h"
#include "control/decision.h"
#include "control/in_flight_limit.h"
#include "control/retry_plan.h"
#include "control/slow_start.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "fleet/standing.h"
#include "fleet/target.h"

namespace penstock::fleet {
namespace {

using control::TargetStanding;

// How often a selection is made anew when another worker charged the same replica in between.
constexpr int kSelectionsMax = 4;

Ratio participation_of(const Provider& provider, const ReplicaState& replica, TimePoint now) {
  const std::optional<TimePoint> since = replica.returned_at();
  if (!since) return Ratio{1'000'000};
  return control::participation(now - *since, provider.slow_start);
}

}  // namespace

std::optional<std::size_t> Selection::probe_in_turn(TimePoint now) {
  for (std::size_t target = 0; target < in_.targets.size(); ++target) {
    const Target& candidate = in_.targets[target];
    if (candidate.role != control::TargetRole::kWeighted || candidate.weight == 0) continue;
    const Provider& provider = provider_of(target);
    if (standing_of(provider, in_.priority) != Standing::kEligible) continue;
    for (std::size_t i = 0; i < provider.replicas.size(); ++i) {
      if (standing_of(provider, i, now) != Standing::kHalfOpen) continue;
      auto token = provider.state->replicas[i].breaker.probe_in_turn(provider.breaker, now);
      if (!token) continue;
      pending_.emplace(target, i, *std::move(token));
      return target;  // a request probes once: the others' turns are the next requests'
    }
  }
  return std::nullopt;
}

std::optional<Placement> Selection::place(const control::Start& start, TimePoint now) {
  const std::size_t target = start.target;
  const Provider& provider = provider_of(target);
  // Much may have changed during the wait for it.
  if (start.place == control::Place::kSame && !can_repeat(target, now)) return std::nullopt;
  Placement placement;
  placement.target = target;
  std::optional<control::Slot> slot = provider.state->in_flight.enter(in_.priority);
  if (!slot) return std::nullopt;
  placement.slot = *std::move(slot);
  const bool probing = pending_ && pending_->target == target;
  if (start.place == control::Place::kSame) {
    placement.replica = last_replica_;
    placement.charge = provider.state->replicas[last_replica_].charge();
  } else if (probing) {
    placement.replica = pending_->replica;
    placement.charge = provider.state->replicas[placement.replica].charge();
    placement.probe = std::move(pending_->token);
  } else if (!pick(target, Standing::kEligible, now, placement) &&
             !pick(target, Standing::kAskedToWait, now, placement) &&
             !pick_probe(target, now, placement)) {
    return std::nullopt;
  }
  pending_.reset();
  placement.generation = provider.state->replicas[placement.replica].breaker.generation();
  mark_tried(target, placement.replica);
  return placement;
}

// Lets the balancer choose among the replicas of one standing.
bool Selection::pick(std::size_t target, Standing wanted, TimePoint now, Placement& into) {
  const Provider& provider = provider_of(target);
  const std::size_t count = provider.replicas.size();
  control::TriedSet none;
  const control::TriedSet& tried = target == tried_target_ ? tried_ : none;
  auto& [balancer, states] = in_.balancers[in_.targets[target].provider];
  states.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ReplicaState& replica = provider.state->replicas[i];
    states[i].eligible =
        standing_of(provider, i, now) == wanted ? control::Eligible::kYes : control::Eligible::kNo;
    states[i].weight = provider.replicas[i].weight;
    states[i].participation = participation_of(provider, replica, now);
    if (provider.balance == control::Balance::kPeakEwma)
      states[i].cost = replica.times(in_.kind).cost.cost(now);
  }
  for (int selection = 0; selection < kSelectionsMax; ++selection) {
    for (std::size_t i = 0; i < count; ++i)
      states[i].in_flight = provider.state->replicas[i].in_flight.load();
    const auto chosen = balancer->pick(states, tried, in_.rng);
    if (!chosen) return false;
    ReplicaState& replica = provider.state->replicas[*chosen];
    // Round robin does not look at what is in flight, and a second pick would skip a turn.
    const bool last = selection + 1 == kSelectionsMax;
    std::optional<ReplicaCharge> charge =
        last || provider.balance == control::Balance::kWeightedRoundRobin
            ? std::optional(replica.charge())
            : replica.charge(states[*chosen].in_flight);
    if (!charge) continue;
    into.replica = *chosen;
    into.charge = *std::move(charge);
    return true;
  }
  return false;
}

// With nothing else eligible any free place of a half-open breaker will do.
bool Selection::pick_probe(std::size_t target, TimePoint now, Placement& into) {
  const Provider& provider = provider_of(target);
  for (std::size_t i = 0; i < provider.replicas.size(); ++i) {
    if (tried(target, i) || standing_of(provider, i, now) != Standing::kHalfOpen) continue;
    std::optional<control::ProbeToken> token =
        provider.state->replicas[i].breaker.probe_at_once(now);
    if (!token) continue;
    into.replica = i;
    into.charge = provider.state->replicas[i].charge();
    into.probe = std::move(token);
    return true;
  }
  return false;
}

void Selection::mark_tried(std::size_t target, std::size_t replica) noexcept {
  if (target != tried_target_) tried_.clear();
  tried_target_ = target;
  tried_.add(replica);
  last_replica_ = replica;
}

std::vector<Verdict> Selection::verdicts(TimePoint now) const {
  std::vector<Verdict> all;
  for (std::size_t target = 0; target < in_.targets.size(); ++target) {
    if (in_.targets[target].weight == 0) continue;  // sent nothing, whatever its state
    const Provider& provider = provider_of(target);
    for (std::size_t i = 0; i < provider.replicas.size(); ++i)
      all.push_back({target, i, standing_of(provider, i, in_.priority, now)});
  }
  return all;
}

TargetStanding Selection::standing(std::size_t target, TimePoint now) const {
  const Provider& provider = provider_of(target);
  if (standing_of(provider, in_.priority) != Standing::kEligible) return TargetStanding::kNothing;
  if (pending_ && pending_->target == target) return TargetStanding::kEligible;
  TargetStanding best = TargetStanding::kNothing;
  for (std::size_t i = 0; i < provider.replicas.size(); ++i) {
    if (tried(target, i)) continue;
    switch (standing_of(provider, i, now)) {
      case Standing::kEligible: return TargetStanding::kEligible;
      case Standing::kAskedToWait: best = TargetStanding::kLastResort; break;
      case Standing::kHalfOpen:
        if (provider.state->replicas[i].breaker.probes() < control::Breaker::kProbesMax)
          best = TargetStanding::kLastResort;
        break;
      default: break;
    }
  }
  return best;
}

// A Retry-After does not speak against it: the plan waits for that.
bool Selection::can_repeat(std::size_t target, TimePoint now) const {
  if (target != tried_target_) return false;
  const Provider& provider = provider_of(target);
  if (standing_of(provider, in_.priority) != Standing::kEligible) return false;
  const Standing standing = standing_of(provider, last_replica_, now);
  return standing == Standing::kEligible || standing == Standing::kAskedToWait;
}

// The quickest one's: whether an attempt can fit at all.
Duration Selection::usual_first_content(std::size_t target, TimePoint now) const {
  const Provider& provider = provider_of(target);
  std::optional<Duration> least;
  for (std::size_t i = 0; i < provider.replicas.size(); ++i) {
    if (is_out(standing_of(provider, i, now))) continue;
    const Duration usual = provider.state->replicas[i].times(in_.kind).usual.value();
    if (!least || usual < *least) least = usual;
  }
  return least.value_or(0s);
}

bool Selection::take_credit(std::size_t target, TimePoint now) {
  const bool taken = provider_of(target).state->retry_budget.take(in_.retry_budget, now);
  if (!taken) refused_ |= std::uint64_t{1} << target;
  return taken;
}

void Selection::first_attempt(std::size_t target, TimePoint now) {
  provider_of(target).state->retry_budget.started(now);
}

}  // namespace penstock::fleet
