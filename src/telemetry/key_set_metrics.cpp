#include "telemetry/key_set_metrics.h"

#include <utility>

#include "base/metric.h"
#include "base/metric_source.h"

namespace penstock::telemetry {

void add_key_set_rows(CallbackSource& source, KeySetReads reads) {
  source.add({.name = "penstock_key_set_age_seconds",
              .kind = MetricKind::kGauge,
              .labels = {},
              .help = "Since the issuer's keys in force were fetched; alert above 10 minutes.",
              .samples = {{{}, std::move(reads.age)}}});
  source.add({.name = "penstock_key_set_keys",
              .kind = MetricKind::kGauge,
              .labels = {},
              .help = "Keys of the issuer that may verify tokens.",
              .samples = {{{}, std::move(reads.keys)}}});
  source.add(
      {.name = "penstock_key_set_fetches_total",
       .kind = MetricKind::kCounter,
       .labels = {"result"},
       .help = "Fetches of the issuer's keys, by whether they came.",
       .samples = {{{"ok"}, std::move(reads.fetched)}, {{"failed"}, std::move(reads.failed)}}});
}

}  // namespace penstock::telemetry
