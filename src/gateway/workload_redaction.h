#pragma once

#include <vector>

#include "base/label.h"
#include "policy/redactor.h"

namespace penstock::gateway {

// What is looked for in a workload's requests and replies, and the kinds' names in metrics.
struct WorkloadRedaction {
  policy::Redactor redactor;
  std::vector<Label> kinds;  // by pattern
};

}  // namespace penstock::gateway
