#pragma once

#include <string>
#include <vector>

#include "base/metric_source.h"

namespace penstock::telemetry {

// Where what is known of the store of shared quotas is read from. On the scrape's thread.
struct StoreReads {
  CallbackSource::Read degraded;  // 0, 1
  struct Errors {
    std::string reason;
    CallbackSource::Read count;
  };
  std::vector<Errors> errors;         // empty without a shared store
  CallbackSource::Read dropped;       // empty without a shared store
  CallbackSource::Read other_limits;  // empty without a shared store
};

// Adds `store_degraded`, `store_errors_total`, `store_dropped_total` and
// `store_other_limits_total`, for the store `quota`.
void add_store_rows(CallbackSource& source, StoreReads reads);

}  // namespace penstock::telemetry
