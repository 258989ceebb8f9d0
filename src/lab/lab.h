#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "lab/on_stop.h"
#include "lab/runner/bench.h"

namespace penstock::lab {

struct LabOptions {
  std::vector<std::string> names;  // of experiments; empty: all
  std::string out = "docs/evidence/lab";
  std::string program;  // this binary
  std::string version;
  Extent extent = Extent::kFull;
  std::uint64_t seed = 0;  // 0: drawn, and printed
};

// The experiments, a line each.
void list_experiments();

// `penstock lab`: runs them one after another, writes their evidence, prints the table. Returns the
// exit code: 0 when all claims hold, 1 when one does not, 2 when an experiment was invalid.
[[nodiscard]] int run_lab(const Clock& clock, const LabOptions& options, const OnStop& on_stop);

}  // namespace penstock::lab
