#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/field.h"
#include "base/rng.h"
#include "base/units.h"
#include "control/balancer.h"
#include "control/breaker.h"
#include "control/call_kind.h"
#include "control/decision.h"
#include "control/in_flight_limit.h"
#include "control/priority.h"
#include "control/retry_plan.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "fleet/standing.h"
#include "fleet/target.h"

namespace penstock::fleet {

// One worker's balancer of one provider, and the room in which its choices are laid out.
struct ProviderBalancer {
  std::unique_ptr<control::Balancer> balancer;
  std::vector<control::Candidate> states;
};
using Balancers = std::vector<ProviderBalancer>;  // by provider

// Where an attempt runs, and what it holds while it does. Move-only.
struct Placement {
  std::size_t target = 0;
  std::size_t replica = 0;
  control::Slot slot;  // under the provider's in_flight limit
  ReplicaCharge charge;
  std::optional<control::ProbeToken> probe;  // of a half-open breaker
  std::uint32_t generation = 0;              // of the breaker, for its samples
};

// Why one candidate of a request is out.
struct Verdict {
  std::size_t target = 0;
  std::size_t replica = 0;
  Standing standing = Standing::kEligible;
};

// One request's view of the fleet: answers its plan, places its attempts and charges what it
// selects. On the request's thread; never waits. All inputs outlive it.
class Selection final : public control::RouteState {
 public:
  struct Inputs {
    const std::vector<Provider>& providers;
    std::span<const Target> targets;
    Balancers& balancers;
    Rng& rng;
    Ratio retry_budget;
    control::Priority priority = control::Priority::kStandard;
    control::CallKind kind = control::CallKind::kUnary;
  };
  explicit Selection(const Inputs& inputs) noexcept : in_(inputs) {}

  // Once, before the plan begins: counts this request with every half-open replica among its
  // weighted targets. The target to begin at when it is a probe's turn.
  [[nodiscard]] std::optional<std::size_t> probe_in_turn(TimePoint now);

  // Selects a replica and charges it; nullopt when none could be had any more.
  [[nodiscard]] std::optional<Placement> place(const control::Start& start, TimePoint now);

  [[nodiscard]] const Provider& provider_of(std::size_t target) const noexcept {
    return in_.providers[in_.targets[target].provider];
  }
  // The targets (a bit each) that a retry was refused for want of credit, since this was asked.
  [[nodiscard]] std::uint64_t take_refused() noexcept { return std::exchange(refused_, 0); }

  // Every candidate and why it is out, for the answer when nothing is eligible.
  [[nodiscard]] std::vector<Verdict> verdicts(TimePoint now) const;

  [[nodiscard]] control::TargetStanding standing(std::size_t target, TimePoint now) const override;
  [[nodiscard]] bool can_repeat(std::size_t target, TimePoint now) const override;
  [[nodiscard]] Duration usual_first_content(std::size_t target, TimePoint now) const override;
  [[nodiscard]] bool take_credit(std::size_t target, TimePoint now) override;
  void first_attempt(std::size_t target, TimePoint now) override;

 private:
  struct PendingProbe {
    std::size_t target;
    std::size_t replica;
    control::ProbeToken token;
  };

  [[nodiscard]] bool tried(std::size_t target, std::size_t replica) const noexcept {
    return target == tried_target_ && tried_.has(replica);
  }
  [[nodiscard]] bool pick(std::size_t target, Standing wanted, TimePoint now, Placement& into);
  [[nodiscard]] bool pick_probe(std::size_t target, TimePoint now, Placement& into);
  void mark_tried(std::size_t target, std::size_t replica) noexcept;

  Inputs in_;
  std::size_t tried_target_ = SIZE_MAX;
  control::TriedSet tried_;  // of tried_target_; a target is gone to once
  std::size_t last_replica_ = 0;
  std::uint64_t refused_ = 0;
  std::optional<PendingProbe> pending_;
};

}  // namespace penstock::fleet
