#pragma once

#include "base/result.h"
#include "lab/runner/bench.h"

// The experiments, one function each; catalogue.cpp says what they show.
namespace penstock::lab {

[[nodiscard]] Result<void> run_steady(Bench& bench);
[[nodiscard]] Result<void> run_canary_split(Bench& bench);
[[nodiscard]] Result<void> run_canary_killed(Bench& bench);
[[nodiscard]] Result<void> run_blind_spot(Bench& bench);

}  // namespace penstock::lab
