#include "gateway/attempts.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/label.h"
#include "base/result.h"
#include "base/units.h"
#include "control/attempt_failure.h"
#include "control/decision.h"
#include "control/retry_plan.h"
#include "fleet/provider.h"
#include "fleet/selection.h"
#include "fleet/target.h"
#include "gateway/access.h"
#include "gateway/attempt.h"
#include "gateway/attempt_error.h"
#include "gateway/audit.h"
#include "gateway/no_replica.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "policy/posture.h"
#include "runtime/rest.h"
#include "telemetry/labels.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

// Waits until then; false when the request was told to stop before.
Task<bool> rest(RequestScope& scope, TimePoint until) {
  const TimePoint before = scope.now();
  const bool rested =
      co_await runtime::rest_until(scope.worker.loop, scope.exchange.cancellation(), until);
  scope.waited += scope.now() - before;
  co_return rested;
}

telemetry::RetryReason reason_of(control::FailureKind kind) {
  using control::FailureKind;
  using telemetry::RetryReason;
  switch (kind) {
    case FailureKind::kBroken: return RetryReason::kBroken;
    case FailureKind::kLoad: return RetryReason::kLoad;
    case FailureKind::kSilent: return RetryReason::kSilent;
    case FailureKind::kCredentials: return RetryReason::kCredentials;
    case FailureKind::kModelMissing: return RetryReason::kModelMissing;
    case FailureKind::kContextLength: return RetryReason::kContextLength;
    case FailureKind::kFinal: break;
  }
  return RetryReason::kBroken;
}

// One request's way through its attempts.
class Journey {
 public:
  explicit Journey(RequestScope& scope)
      : scope_(scope),
        selection_({.providers = scope.snapshot->providers,
                    .targets = scope.route.targets(),
                    .balancers = scope.worker.balancers,
                    .rng = *scope.worker.rng,
                    .retry_budget = scope.snapshot->retry.budget,
                    .priority = scope.priority,
                    .kind = scope.kind()}),
        plan_({.rng = *scope.worker.rng,
               .config = scope.snapshot->retry,
               .targets = scope.route.plan(),
               .route = selection_,
               .deadline = scope.patience_end()}) {}
  Journey(const Journey&) = delete;
  Journey& operator=(const Journey&) = delete;

  Task<Result<void>> run() {
    control::Decision decision = plan_.begin(scope_.now(), selection_.probe_in_turn(scope_.now()));
    while (!std::holds_alternative<control::Finish>(decision)) {
      if (const auto* sleep = std::get_if<control::SleepUntil>(&decision)) {
        const control::SleepUntil until = *sleep;
        if (!co_await rest(scope_, until.at)) co_return fail(stopped());
        decision = until.next;
      }
      const control::Start start = std::get<control::Start>(decision);
      std::optional<fleet::Placement> placement = selection_.place(start, scope_.now());
      if (!placement) {
        decision = plan_.on_unplaced(scope_.now());
        count_refused();
        continue;
      }
      if (barred(start.target)) co_return fail(closed());
      count_move(start.target);
      if (scope_.attempts == 0 && scope_.route.chosen_by == Route::ChosenBy::kClient)
        audit_choice(scope_);
      scope_.attempts = plan_.attempts();
      std::unique_ptr<control::AttemptFailure> failure = co_await attempt(scope_, *placement);
      placement.reset();  // what it held is free again before the next is decided on
      if (!failure) co_return Result<void>();
      if (scope_.content_sent) plan_.on_content();
      last_failure_ = control::kind_of(*failure);
      decision = plan_.on_failure(std::move(*failure), scope_.now());
      count_refused();
    }
    if (plan_.attempts() == 0)
      co_return fail(no_replica(scope_, selection_.verdicts(scope_.now())));
    co_return fail(std::move(std::get<control::Finish>(decision).error));
  }

 private:
  // The one place where attempts begin asks again, whatever the route was made of.
  [[nodiscard]] bool barred(std::size_t target) const {
    const fleet::Target& place = scope_.route.targets()[target];
    const Access access = access_of(scope_);
    if (access.provider(place.provider) != Barred::kNo) return true;
    return scope_.route.model == nullptr &&
           access.place(place.provider, place.model) != Barred::kNo;
  }
  [[nodiscard]] static Error closed() {
    Error error(policy::refusal_code(policy::Failure::kRouteBarred));
    error.detail = "a route led to a provider that is barred to its caller";
    return error;
  }

  void count_refused() {
    std::uint64_t refused = selection_.take_refused();
    for (std::size_t target = 0; refused != 0; ++target, refused >>= 1)
      if ((refused & 1) != 0)
        scope_.worker.metrics.retries_refused.at(selection_.provider_of(target).label).add();
  }

  // A second or later attempt: at the same provider it is a retry, at another a fallback.
  void count_move(std::size_t target) {
    if (!last_failure_) return;
    const fleet::Provider& provider = selection_.provider_of(target);
    const telemetry::RetryReason reason = reason_of(*last_failure_);
    auto& metrics = scope_.worker.metrics;
    const Label model = scope_.model_label();
    if (&provider == scope_.provider)
      metrics.retries.at(provider.label, model, reason).add();
    else
      metrics.fallbacks.at(provider.label, model, reason).add();
  }

  RequestScope& scope_;
  fleet::Selection selection_;
  control::RetryPlan plan_;
  std::optional<control::FailureKind> last_failure_;
};

}  // namespace

Task<Result<void>> attempt_until_committed_or_out_of_options(RequestScope& scope) {
  Journey journey(scope);
  co_return co_await journey.run();
}

}  // namespace penstock::gateway
