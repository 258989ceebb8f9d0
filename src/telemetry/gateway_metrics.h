#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/describe.h"
#include "base/error_code.h"
#include "base/histogram.h"
#include "base/label.h"
#include "base/metric.h"
#include "base/metric_row.h"
#include "base/metric_source.h"
#include "base/outcome.h"
#include "telemetry/buckets.h"
#include "telemetry/labels.h"

namespace penstock::telemetry {

// What one worker counts about requests. Labels of type Label are configured names (the surface's
// word too: intern all of them at start); unknown ones are kOtherLabel.
struct GatewayMetrics {
  // Makes the series visible at 0 that an operator may alert on before they have happened.
  // Construct on any thread, before the worker starts.
  GatewayMetrics();

  // The same for the series of a configured provider. The worker only, or before it starts.
  void announce_provider(Label provider);

  // tenant, workload, provider, model, surface, outcome, code (none: no error)
  Counter<Label, Label, Label, Label, Label, Outcome, std::optional<ErrorCode>> requests;
  Counter<Label, Label, Outcome> upstream_requests;  // provider, model, outcome
  Counter<Label, Label, RetryReason> retries;        // provider, model, reason
  Counter<Label, Label, RetryReason> fallbacks;      // provider gone to, model, reason
  Counter<Label> retries_refused;                    // provider
  Counter<Label> client_retries;                     // tenant
  // provider, model, surface
  Histogram<Label, Label, Label> time_to_first_token{kLatencyBounds};
  Histogram<Label, Label, Label> duration{kLatencyBounds};
  Histogram<Label, Label, Label> upstream_duration{kLatencyBounds};
  Histogram<Label, Label, Label> overhead{kOverheadBounds};
  // tenant, workload, provider, model, kind, estimated
  Counter<Label, Label, Label, Label, TokenKind, Estimated> tokens_in;
  Counter<Label, Label, Label, Label, TokenKind, Estimated> tokens_out;
  Counter<StreamEnd> streams;
  Counter<InterruptCause> stream_interrupted;
  Counter<Label> stream_malformed;  // provider
  Counter<RejectionStage, ErrorCode> rejections;
  Counter<PolicyRule, Ruling> policy_rulings;
  Histogram<Scope> queue_wait{kWaitBounds};
  Histogram<Label> upstream_pool_wait{kWaitBounds};  // provider
  Counter<Label, RedactedIn> redactions;             // kind, direction
  Counter<RedactedIn> redaction_failures;
  Counter<> uncaught_exceptions;
};

// Where the rows of process-wide values are read from. Called on the scrape's thread.
struct ProcessReads {
  CallbackSource::Read queue_depth;
  CallbackSource::Read amplification;  // attempts ÷ requests, of the last 60 s
  CallbackSource::Read draining;
  CallbackSource::Read drain_forced;
  CallbackSource::Read access_log_dropped;
  CallbackSource::Read log_dropped;
  CallbackSource::Read audit_log_dropped;
  CallbackSource::Read reloads_applied;
  CallbackSource::Read reloads_refused;
};

// Adds `queue_depth`, `amplification_ratio`, how draining goes and what logs dropped, which belong
// to no worker.
void add_process_rows(CallbackSource& source, ProcessReads reads);

// One ceiling on requests in flight, while it is there. On the scrape's thread.
struct CeilingReads {
  Scope scope = Scope::kProcess;
  std::string tenant = {};  // configured names; empty where the scope has none
  std::string workload = {};
  std::string provider = {};
  CallbackSource::Read in_flight;
  CallbackSource::Read limit;
};

// Adds `in_flight` and `in_flight_limit` with a row for each ceiling, and `saturation_ratio`: the
// highest of their quotients.
void add_ceiling_rows(CallbackSource& source, std::vector<CeilingReads> ceilings);

// Where the state of one replica is read from.
struct ReplicaReads {
  std::string replica;
  CallbackSource::Read status;   // 0 closed, 1 half-open, 2 open
  CallbackSource::Read healthy;  // 0, 1; NaN: unknown
  CallbackSource::Read in_flight;
};

// Where what is known of one provider is read from, over all workers. On the scrape's thread.
struct ProviderReads {
  std::string provider;
  CallbackSource::Read idle;    // read before `active`
  CallbackSource::Read active;  // the rest
  CallbackSource::Read waiting;
  CallbackSource::Read retry_budget;  // retries ÷ requests begun, of the last 10 s
  std::vector<ReplicaReads> replicas = {};
};

// Adds the rows of connections, retry budgets and replicas, which workers share.
void add_provider_rows(CallbackSource& source, std::vector<ProviderReads> providers);

constexpr auto metrics(Describe<GatewayMetrics>) {
  using M = GatewayMetrics;
  constexpr auto kRoute = labels("provider", "model", "surface");
  return std::tuple{
      metric("penstock_requests_total", &M::requests,
             labels("tenant", "workload", "provider", "model", "surface", "outcome", "code"),
             "Client requests ended, refused ones included."),
      metric("penstock_upstream_requests_total", &M::upstream_requests,
             labels("provider", "model", "outcome"),
             "Attempts ended; their ratio to requests is amplification."),
      metric("penstock_retries_total", &M::retries, labels("provider", "model", "reason"),
             "Second and later attempts at a provider, by how the one before failed."),
      metric("penstock_fallbacks_total", &M::fallbacks, labels("provider", "model", "reason"),
             "Attempts that moved on to another provider, by how the one before failed."),
      metric("penstock_retries_refused_total", &M::retries_refused, labels("provider"),
             "Retries that the retry budget had no credit for."),
      metric("penstock_client_retries_total", &M::client_retries, labels("tenant"),
             "Requests that an SDK says it sends again (x-stainless-retry-count above 0)."),
      metric("penstock_time_to_first_token_seconds", &M::time_to_first_token, kRoute,
             "From a stream's request head to its first relayed content."),
      metric("penstock_duration_seconds", &M::duration, kRoute,
             "From the request head to the last byte of the reply."),
      metric("penstock_upstream_duration_seconds", &M::upstream_duration, kRoute,
             "Of one attempt, from its start to the last byte of its reply."),
      metric("penstock_overhead_seconds", &M::overhead, kRoute,
             "The gateway's own share of a request's time."),
      metric("penstock_tokens_in_total", &M::tokens_in,
             labels("tenant", "workload", "provider", "model", "kind", "estimated"),
             "Input tokens; the cached kinds are part of input."),
      metric("penstock_tokens_out_total", &M::tokens_out,
             labels("tenant", "workload", "provider", "model", "kind", "estimated"),
             "Output tokens; output_reasoning is part of output."),
      metric("penstock_streams_total", &M::streams, labels("end"),
             "Committed streams by how they ended."),
      metric("penstock_stream_interrupted_total", &M::stream_interrupted, labels("cause"),
             "Streams cut before their end, by whose doing it was."),
      metric("penstock_stream_malformed_total", &M::stream_malformed, labels("provider"),
             "Events dropped from streams because they were not valid JSON."),
      metric("penstock_rejections_total", &M::rejections, labels("stage", "code"),
             "Requests refused before any attempt, by the stage that refused."),
      metric("penstock_policy_rulings_total", &M::policy_rulings, labels("rule", "ruling"),
             "Requests judged by a rule that their caller has: passed, changed or refused."),
      metric("penstock_queue_wait_seconds", &M::queue_wait, labels("scope"),
             "How long a request waited for a place under a ceiling, if it had to wait."),
      metric("penstock_upstream_pool_wait_seconds", &M::upstream_pool_wait, labels("provider"),
             "How long an attempt waited for a connection; zero waits included."),
      metric("penstock_redactions_total", &M::redactions, labels("kind", "direction"),
             "Identifiers found in requests and replies, masked or blocked."),
      metric("penstock_redaction_failures_total", &M::redaction_failures, labels("direction"),
             "Requests and replies that could not be looked through, and were refused."),
      metric("penstock_uncaught_exceptions_total", &M::uncaught_exceptions, labels(),
             "Exceptions that reached the last catch of a request; each is a fault of ours."),
  };
}

}  // namespace penstock::telemetry
