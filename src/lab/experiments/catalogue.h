#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "lab/runner/bench.h"

namespace penstock::lab {

// A scripted experiment: real processes, claims, and the checks without which they prove nothing.
struct Experiment {
  std::string_view name;
  std::string_view about;  // one sentence: what is done and what must hold
  // Fills the bench's report. errors: that it could not be carried out; it is then invalid.
  Result<void> (*run)(Bench& bench);
};

// All of them, in the order they run.
[[nodiscard]] std::span<const Experiment> experiments();

}  // namespace penstock::lab
