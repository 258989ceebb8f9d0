#include "gateway/attempts.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "control/attempt_plan.h"
#include "control/outcome.h"
#include "fleet/provider.h"
#include "fleet/route.h"
#include "gateway/attempt_error.h"
#include "gateway/relay.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
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

Task<Try> try_on(RequestScope& scope, net::ConnectionLease& lease) {
  net::HttpCall call(lease->stream(), lease->input(), scope.worker.loop,
                     scope.exchange.cancellation());
  const fleet::ProviderTimeouts& timeouts = scope.provider->timeouts;
  const TimePoint began = scope.now();
  const net::IoEnd sent = co_await send_request(scope, call, began + timeouts.first_byte);
  if (sent == net::IoEnd::kCancelled) {  // by us: the provider took no more of it in time
    scope.waited += scope.now() - began;
    if (scope.exchange.cancellation().requested()) co_return Try{fail(stopped())};
    co_return Try{
        fail(ErrorCode::kUpstreamTimeout, "The provider did not take the request in time.")};
  }
  const TimePoint first_byte_due = scope.now() + timeouts.first_byte;
  const net::HeadEnd head = co_await call.read_head(first_byte_due);
  scope.waited += scope.now() - began;
  if (head != net::HeadEnd::kHead) {
    const bool dead = head == net::HeadEnd::kClosed || head == net::HeadEnd::kCut;
    const bool stale =
        dead && !call.heard() && lease->reused() && !scope.exchange.cancellation().requested();
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

// One attempt at one replica. A stale connection is replaced once, silently.
Task<Result<void>> attempt(RequestScope& scope, std::size_t replica) {
  const std::size_t provider = scope.target->provider;
  net::ConnectionPool& pool = *scope.worker.pools[provider];
  for (const net::Freshness freshness : {net::Freshness::kAny, net::Freshness::kFresh}) {
    if (scope.exchange.cancellation().requested()) co_return fail(stopped());
    const TimePoint asked = scope.now();
    const runtime::CallContext context{scope.exchange.cancellation()};
    net::Acquired acquired = co_await pool.acquire(replica, freshness, context);
    scope.waited += scope.now() - asked;
    scope.queued += acquired.waited;
    scope.worker.metrics.upstream_pool_wait.at(scope.provider->label).observe(acquired.waited);
    if (acquired.end != net::AcquireEnd::kConnection)
      co_return fail(no_connection(acquired, *scope.provider));
    Try tried = co_await try_on(scope, acquired.connection);
    if (tried.stale && freshness == net::Freshness::kAny) continue;
    if (tried.end && scope.connection_reusable) acquired.connection.keep();
    co_return std::move(tried.end);
  }
  co_return fail(ErrorCode::kUpstreamUnavailable);
}

void count_attempt(RequestScope& scope, const Result<void>& end, TimePoint began) {
  control::Facts facts{.provider_status = scope.status, .retry_after = scope.retry_after};
  if (!end) facts.code = end.error().code;
  if (scope.exchange.client_left() && scope.stop != "complete")
    facts.client = control::Facts::Client::kGone;
  const Label provider = scope.provider_label();
  const Label model = scope.model_label();
  scope.worker.metrics.upstream_requests.at(provider, model, control::classify(facts)).add();
  scope.worker.metrics.upstream_duration.at(provider, model, scope.worker.label(scope.surface))
      .observe(scope.now() - began);
}

}  // namespace

Task<Result<void>> attempt_until_committed_or_out_of_options(RequestScope& scope) {
  const Snapshot& snapshot = *scope.snapshot;
  const std::vector<fleet::Target>& targets = scope.route.targets();
  PENSTOCK_CO_TRY(const std::size_t first,
                  fleet::pick_target(targets, snapshot.providers, scope.route.only_provider,
                                     *scope.worker.rng));
  control::AttemptPlan plan({.attempts_max = 1}, first);
  control::Decision decision = plan.begin();
  while (const auto* start = std::get_if<control::Start>(&decision)) {
    scope.target = &targets[start->target];
    scope.provider = &snapshot.providers[scope.target->provider];
    PENSTOCK_CO_TRY(const std::size_t replica,
                    fleet::pick_replica(*scope.provider, *scope.worker.rng));
    scope.replica = &scope.provider->replicas[replica];
    scope.attempts = plan.attempts();
    scope.rejected_at.reset();
    const TimePoint began = scope.now();
    Result<void> end = co_await attempt(scope, replica);
    count_attempt(scope, end, began);
    if (end) co_return end;
    if (scope.exchange.begun()) plan.on_content();
    decision = plan.on_failure(std::move(end).error());
  }
  co_return fail(std::move(std::get<control::Finish>(decision).error));
}

}  // namespace penstock::gateway
