#include "telemetry/store_metrics.h"

#include <utility>

#include "base/metric.h"
#include "base/metric_source.h"

namespace penstock::telemetry {

void add_store_rows(CallbackSource& source, StoreReads reads) {
  source.add({.name = "penstock_store_degraded",
              .kind = MetricKind::kGauge,
              .labels = {"store"},
              .help = "1 while something that is kept in the store is decided without it.",
              .samples = {{{"quota"}, std::move(reads.degraded)}}});
  CallbackSource::Row errors{.name = "penstock_store_errors_total",
                             .kind = MetricKind::kCounter,
                             .labels = {"store", "reason"},
                             .help =
                                 "Calls of the store without an answer, by why; `open`: not "
                                 "sent, because the ones before had failed.",
                             .samples = {}};
  for (StoreReads::Errors& its : reads.errors)
    errors.samples.push_back({{"quota", std::move(its.reason)}, std::move(its.count)});
  source.add(std::move(errors));
  CallbackSource::Row dropped{.name = "penstock_store_dropped_total",
                              .kind = MetricKind::kCounter,
                              .labels = {"store"},
                              .help = "Tokens given back or charged that the store was not told.",
                              .samples = {}};
  if (reads.dropped) dropped.samples.push_back({{"quota"}, std::move(reads.dropped)});
  source.add(std::move(dropped));
  CallbackSource::Row other{.name = "penstock_store_other_limits_total",
                            .kind = MetricKind::kCounter,
                            .labels = {"store"},
                            .help =
                                "Answers about a bucket that was last taken from under another "
                                "limit than this gateway has: it must be the same everywhere.",
                            .samples = {}};
  if (reads.other_limits) other.samples.push_back({{"quota"}, std::move(reads.other_limits)});
  source.add(std::move(other));
}

}  // namespace penstock::telemetry
