#include "telemetry/gateway_metrics.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/label.h"
#include "base/metric.h"
#include "base/metric_source.h"
#include "telemetry/labels.h"

namespace penstock::telemetry {
namespace {

struct Rejection {
  RejectionStage stage;
  ErrorCode code;
};

using enum RejectionStage;

// What each stage is known to refuse. Others are counted too once they happen.
constexpr std::array kRejections{
    Rejection{kHead, ErrorCode::kInvalidRequest},
    Rejection{kHead, ErrorCode::kNotFound},
    Rejection{kHead, ErrorCode::kMethodNotAllowed},
    Rejection{kBody, ErrorCode::kUnsupportedMediaType},
    Rejection{kHead, ErrorCode::kHeaderTooLarge},
    Rejection{kHead, ErrorCode::kUriTooLong},
    Rejection{kIdentify, ErrorCode::kUnauthenticated},
    Rejection{kIdentify, ErrorCode::kKeyDisabled},
    Rejection{kIdentify, ErrorCode::kStoreUnavailable},
    Rejection{kQuota, ErrorCode::kRateLimitExceeded},
    Rejection{kBody, ErrorCode::kInvalidRequest},
    Rejection{kBody, ErrorCode::kBodyTooLarge},
    Rejection{kBody, ErrorCode::kRequestTimeout},
    Rejection{kBody, ErrorCode::kOverloaded},
    Rejection{kValidate, ErrorCode::kInvalidJson},
    Rejection{kValidate, ErrorCode::kInvalidRequest},
    Rejection{kValidate, ErrorCode::kUnsupportedParameter},
    Rejection{kPolicy, ErrorCode::kLabelRequired},
    Rejection{kPolicy, ErrorCode::kModelNotAllowed},
    Rejection{kPolicy, ErrorCode::kProviderNotAllowed},
    Rejection{kPolicy, ErrorCode::kToolsNotAllowed},
    Rejection{kPolicy, ErrorCode::kInvalidRequest},
    Rejection{kPolicy, ErrorCode::kContentBlocked},
    Rejection{kPolicy, ErrorCode::kRedactionUnavailable},
    Rejection{kAdmit, ErrorCode::kOverloaded},
    Rejection{kAdmit, ErrorCode::kDeadlineExceeded},
    Rejection{kAdmit, ErrorCode::kDraining},
    Rejection{kRoute, ErrorCode::kModelNotFound},
    Rejection{kRoute, ErrorCode::kNoReplica},
};

}  // namespace

GatewayMetrics::GatewayMetrics() {
  for (const StreamEnd end : {StreamEnd::kTerminal, StreamEnd::kErrorEvent, StreamEnd::kClientGone})
    streams.announce(end);
  for (const InterruptCause cause :
       {InterruptCause::kClient, InterruptCause::kProvider, InterruptCause::kGateway})
    stream_interrupted.announce(cause);
  for (const Rejection& rejection : kRejections)
    rejections.announce(rejection.stage, rejection.code);
  queue_wait.announce(Scope::kProcess);
  uncaught_exceptions.announce();
}

void GatewayMetrics::announce_provider(Label provider) {
  upstream_pool_wait.announce(provider);
  stream_malformed.announce(provider);
  retries_refused.announce(provider);
}

namespace {

CallbackSource::Row gauge(std::string name, std::vector<std::string> labels, std::string help) {
  return {.name = std::move(name),
          .kind = MetricKind::kGauge,
          .labels = std::move(labels),
          .help = std::move(help),
          .samples = {}};
}

void add_replica_rows(CallbackSource& source, std::vector<ProviderReads>& providers) {
  CallbackSource::Row status = gauge("penstock_provider_status", {"provider", "replica"},
                                     "A replica's breaker: 0 closed, 1 half-open, 2 open.");
  CallbackSource::Row healthy = gauge("penstock_replica_healthy", {"provider", "replica"},
                                      "What its probes say: 1 healthy, 0 not, NaN not known.");
  CallbackSource::Row in_flight = gauge("penstock_replica_in_flight", {"provider", "replica"},
                                        "Attempts that run at a replica.");
  for (ProviderReads& provider : providers)
    for (ReplicaReads& reads : provider.replicas) {
      const std::vector<std::string> labels{provider.provider, reads.replica};
      status.samples.push_back({labels, std::move(reads.status)});
      healthy.samples.push_back({labels, std::move(reads.healthy)});
      in_flight.samples.push_back({labels, std::move(reads.in_flight)});
    }
  source.add(std::move(status));
  source.add(std::move(healthy));
  source.add(std::move(in_flight));
}

}  // namespace

void add_provider_rows(CallbackSource& source, std::vector<ProviderReads> providers) {
  CallbackSource::Row connections = gauge("penstock_upstream_connections", {"provider", "state"},
                                          "Open connections to providers.");
  CallbackSource::Row waiting =
      gauge("penstock_upstream_pool_waiting", {"provider"}, "Attempts waiting for a connection.");
  CallbackSource::Row budget =
      gauge("penstock_retry_budget_ratio", {"provider"},
            "Retries at a provider in the last 10 s, over the requests begun there.");
  for (ProviderReads& reads : providers) {
    const auto state = [&](ConnectionState which) { return std::string(name(which)); };
    connections.samples.push_back(
        {{reads.provider, state(ConnectionState::kIdle)}, std::move(reads.idle)});
    connections.samples.push_back(
        {{reads.provider, state(ConnectionState::kActive)}, std::move(reads.active)});
    waiting.samples.push_back({{reads.provider}, std::move(reads.waiting)});
    budget.samples.push_back({{reads.provider}, std::move(reads.retry_budget)});
  }
  source.add(std::move(connections));
  source.add(std::move(waiting));
  source.add(std::move(budget));
  add_replica_rows(source, providers);
}

void add_ceiling_rows(CallbackSource& source, std::vector<CeilingReads> ceilings) {
  const std::vector<std::string> labels{"scope", "tenant", "workload", "provider"};
  CallbackSource::Row in_flight{.name = "penstock_in_flight",
                                .kind = MetricKind::kGauge,
                                .labels = labels,
                                .help =
                                    "Requests admitted and not yet ended; under a ceiling of "
                                    "the caller's also those that wait for the process's; under a "
                                    "provider's its attempts.",
                                .samples = {}};
  CallbackSource::Row limit{.name = "penstock_in_flight_limit",
                            .kind = MetricKind::kGauge,
                            .labels = labels,
                            .help =
                                "The ceiling of penstock_in_flight; a provider's is lowered "
                                "while it is slow.",
                            .samples = {}};
  std::vector<CallbackSource::Read> ratios;
  for (CeilingReads& reads : ceilings) {
    const std::vector<std::string> values{std::string(name(reads.scope)), reads.tenant,
                                          reads.workload, reads.provider};
    in_flight.samples.push_back({values, reads.in_flight});
    limit.samples.push_back({values, reads.limit});
    ratios.emplace_back([count = std::move(reads.in_flight), limit = std::move(reads.limit)] {
      const double of = limit().value_or(std::numeric_limits<double>::infinity());
      return of == 0 ? 1.0 : count().value_or(0) / of;
    });
  }
  source.add(std::move(in_flight));
  source.add(std::move(limit));
  const auto highest = [ratios = std::move(ratios)] {
    double found = 0;
    for (const CallbackSource::Read& ratio : ratios) found = std::max(found, ratio().value_or(0));
    return found;
  };
  source.add({.name = "penstock_saturation_ratio",
              .kind = MetricKind::kGauge,
              .labels = {},
              .help = "The highest of in flight divided by limit over all ceilings: scale on it.",
              .samples = {{{}, highest}}});
}

void add_process_rows(CallbackSource& source, ProcessReads reads) {
  source.add({.name = "penstock_queue_depth",
              .kind = MetricKind::kGauge,
              .labels = {"scope"},
              .help = "Requests waiting for a place under a ceiling.",
              .samples = {{{"process"}, std::move(reads.queue_depth)}}});
  source.add({.name = "penstock_amplification_ratio",
              .kind = MetricKind::kGauge,
              .labels = {},
              .help = "Attempts over requests of the last 60 s; alert above 1.3.",
              .samples = {{{}, std::move(reads.amplification)}}});
  source.add({.name = "penstock_draining",
              .kind = MetricKind::kGauge,
              .labels = {},
              .help = "1 from the signal to leave on.",
              .samples = {{{}, std::move(reads.draining)}}});
  source.add({.name = "penstock_drain_forced_total",
              .kind = MetricKind::kCounter,
              .labels = {},
              .help = "Requests cut because draining took too long.",
              .samples = {{{}, std::move(reads.drain_forced)}}});
  source.add({.name = "penstock_access_log_dropped_total",
              .kind = MetricKind::kCounter,
              .labels = {},
              .help = "Access-log lines that did not fit the buffer or could not be written.",
              .samples = {{{}, std::move(reads.access_log_dropped)}}});
  source.add({.name = "penstock_log_dropped_total",
              .kind = MetricKind::kCounter,
              .labels = {},
              .help = "Lines for operators that did not fit the buffer or could not be written.",
              .samples = {{{}, std::move(reads.log_dropped)}}});
  source.add({.name = "penstock_config_reloads_total",
              .kind = MetricKind::kCounter,
              .labels = {"result"},
              .help = "Times the config file was read anew.",
              .samples = {{{"applied"}, std::move(reads.reloads_applied)},
                          {{"refused"}, std::move(reads.reloads_refused)}}});
  source.add({.name = "penstock_audit_log_dropped_total",
              .kind = MetricKind::kCounter,
              .labels = {},
              .help = "Audit lines that did not fit the buffer or could not be written.",
              .samples = {{{}, std::move(reads.audit_log_dropped)}}});
}

}  // namespace penstock::telemetry
