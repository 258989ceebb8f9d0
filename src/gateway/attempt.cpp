#include "gateway/attempt.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/outcome.h"
#include "base/result.h"
#include "base/units.h"
#include "control/attempt_failure.h"
#include "control/call_samples.h"
#include "control/outcome.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "fleet/selection.h"
#include "gateway/attempt_error.h"
#include "gateway/attempt_watch.h"
#include "gateway/heartbeat.h"
#include "gateway/relay.h"
#include "gateway/request_scope.h"
#include "gateway/token_quota.h"
#include "gateway/upstream_request.h"
#include "net/byte_stream.h"
#include "net/connection_pool.h"
#include "net/http_call.h"
#include "runtime/cancellation.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

// What became of one try on one connection.
struct Try {
  Result<void> end;
  // A reused connection that ended before any reply byte: its replica had closed it in the
  // meantime. Says nothing about the replica, and costs neither attempt nor credit.
  bool stale = false;
};

// The request as it goes out is needed until it is sent, and no longer.
Task<net::IoEnd> send_request(const RequestScope& scope, net::HttpCall& call, TimePoint due) {
  const UpstreamRequest request(scope);
  co_return co_await call.send(request.pieces(), due);
}

// As read_head(), for a stream that a heartbeat has opened already: the next ones go out meanwhile.
Task<net::HeadEnd> read_head_beating(RequestScope& scope, net::HttpCall& call, TimePoint due) {
  while (true) {
    const net::HeadEnd end = co_await call.read_head(std::min(due, scope.heartbeat_due));
    if (end != net::HeadEnd::kTimedOut || scope.now() >= due) co_return end;
    if (!co_await beat(scope)) co_return net::HeadEnd::kStopped;
  }
}

Task<Try> try_on(RequestScope& scope, net::ConnectionLease& lease) {
  net::HttpCall call(lease->stream(), lease->input(), scope.worker.loop,
                     scope.exchange.cancellation());
  const Duration first_byte = scope.provider->timeouts.first_byte;
  const TimePoint began = scope.now();
  const net::IoEnd sent =
      co_await send_request(scope, call, std::min(began + first_byte, scope.patience_end()));
  if (sent == net::IoEnd::kCancelled) {  // by us: the provider took no more of it in time
    scope.waited += scope.now() - began;
    if (scope.exchange.cancellation().requested()) co_return Try{fail(stopped())};
    co_return Try{fail(late(scope, "The provider did not take the request in time."))};
  }
  const TimePoint first_byte_due = scope.now() + first_byte;
  const TimePoint due = std::min(first_byte_due, scope.patience_end());
  const net::HeadEnd head = scope.exchange.begun() ? co_await read_head_beating(scope, call, due)
                                                   : co_await call.read_head(due);
  scope.waited += scope.now() - began;
  if (head != net::HeadEnd::kHead) {
    const bool dead = head == net::HeadEnd::kClosed || head == net::HeadEnd::kCut;
    const bool stale =
        dead && !call.heard() && lease->reused() && !scope.exchange.cancellation().requested();
    if (head == net::HeadEnd::kTimedOut)
      co_return Try{fail(late(scope, "The provider did not answer in time."))};
    co_return Try{fail(no_head(head, sent, call.detail())), stale};
  }
  // A replica that gave up waiting on an idle connection just as our request came.
  constexpr int kRequestTimeout = 408;
  if (call.head().status == kRequestTimeout && lease->reused() && !call.head().keep_alive)
    co_return Try{fail(ErrorCode::kUpstreamUnavailable, "The provider closed the connection."),
                  true};
  Result<void> relayed = co_await relay(scope, call, first_byte_due);
  co_return Try{std::move(relayed)};
}

// A stale connection is replaced once, silently. `stage` is left where it ended.
Task<Result<void>> on_connections(RequestScope& scope, std::size_t replica,
                                  control::AttemptStage& stage) {
  net::ConnectionPool& pool = *scope.worker.pools[scope.target->provider];
  for (const net::Freshness freshness : {net::Freshness::kAny, net::Freshness::kFresh}) {
    if (scope.exchange.cancellation().requested()) co_return fail(stopped());
    stage = control::AttemptStage::kConnecting;
    const TimePoint asked = scope.now();
    const runtime::CallContext context{scope.exchange.cancellation(), scope.patience_end()};
    net::Acquired acquired = co_await pool.acquire(replica, freshness, context);
    scope.waited += scope.now() - asked;
    scope.queued += acquired.waited;
    scope.worker.metrics.upstream_pool_wait.at(scope.provider->label).observe(acquired.waited);
    if (acquired.end != net::AcquireEnd::kConnection) {
      const bool ours = scope.now() >= scope.patience_end();
      if (ours && !scope.exchange.cancellation().requested())
        co_return fail(late(scope, "No connection to the provider came in time."));
      co_return fail(no_connection(acquired, *scope.provider));
    }
    stage = control::AttemptStage::kConnected;
    scope.watch->connected();
    Try tried = co_await try_on(scope, acquired.connection);
    if (tried.stale && freshness == net::Freshness::kAny) continue;
    if (scope.connection_reusable) acquired.connection.keep();
    co_return std::move(tried.end);
  }
  co_return fail(ErrorCode::kUpstreamUnavailable);
}

// The provider's own error reply stands for the failure where there is one to pass on.
control::AttemptFailure failure_of(const RequestScope& scope, Error error,
                                   control::AttemptStage stage) {
  std::optional<ErrorCode> failed;
  if (!scope.said.refused) failed = error.code;
  return {.error = std::move(error), .facts = scope.facts(failed), .stage = stage};
}

control::Reach reach_of(const RequestScope& scope, const control::AttemptFailure* failure) {
  if (failure == nullptr || scope.said.status != 0) return control::Reach::kReached;
  const bool dialling = failure->stage == control::AttemptStage::kConnecting &&
                        failure->error.code == ErrorCode::kUpstreamTimeout;
  return dialling || failure->error.code == ErrorCode::kUpstreamUnavailable
             ? control::Reach::kUnreachable
             : control::Reach::kReached;
}

// What breaker, balancer, cool-down, metrics and operators learn from an attempt that ended.
void settle_attempt(RequestScope& scope, const fleet::Placement& placement,
                    const control::AttemptFailure* failure, TimePoint began) {
  const Outcome outcome =
      control::classify(failure != nullptr ? failure->facts : scope.facts(std::nullopt));
  count_tokens(scope, failure);
  scope.watch->end(outcome, reach_of(scope, failure), scope.usage);
  const TimePoint now = scope.now();
  fleet::ReplicaState& replica = scope.provider->state->replicas[placement.replica];
  if (outcome == Outcome::kOverload && scope.said.wait)
    replica.cool_down.ask(*scope.said.wait, now);
  if (failure != nullptr &&
      (outcome == Outcome::kFault || outcome == Outcome::kTimeout || outcome == Outcome::kOverload))
    replica.set_last_error(
        {failure->error.code, scope.said.status, scope.worker.loop.clock().wall()});
  const Label provider = scope.provider_label();
  const Label model = scope.model_label();
  auto& metrics = scope.worker.metrics;
  metrics.upstream_requests.at(provider, model, outcome).add();
  metrics.upstream_duration.at(provider, model, scope.worker.label(scope.surface))
      .observe(now - began);
}

}  // namespace

Task<std::unique_ptr<control::AttemptFailure>> attempt(RequestScope& scope,
                                                       const fleet::Placement& placement) {
  scope.begin_attempt(placement);
  AttemptWatch watch(scope.worker, *scope.provider, placement, scope.kind(),
                     Bytes{scope.body.size()});
  scope.watch = &watch;
  const TimePoint began = scope.now();
  control::AttemptStage stage = control::AttemptStage::kConnecting;
  Result<void> end = co_await on_connections(scope, placement.replica, stage);
  std::unique_ptr<control::AttemptFailure> failure;
  if (!end)
    failure =
        std::make_unique<control::AttemptFailure>(failure_of(scope, std::move(end).error(), stage));
  settle_attempt(scope, placement, failure.get(), began);
  scope.watch = nullptr;
  co_return failure;
}

}  // namespace penstock::gateway
