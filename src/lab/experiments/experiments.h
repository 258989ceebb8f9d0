#pragma once

#include "base/result.h"
#include "lab/runner/bench.h"

// The experiments, one function each; catalogue.cpp says what they show.
namespace penstock::lab {

[[nodiscard]] Result<void> run_steady(Bench& bench);
[[nodiscard]] Result<void> run_burst(Bench& bench);
[[nodiscard]] Result<void> run_killed(Bench& bench);
[[nodiscard]] Result<void> run_hang(Bench& bench);
[[nodiscard]] Result<void> run_failing(Bench& bench);
[[nodiscard]] Result<void> run_canary_split(Bench& bench);
[[nodiscard]] Result<void> run_canary_killed(Bench& bench);
[[nodiscard]] Result<void> run_brownout(Bench& bench);
[[nodiscard]] Result<void> run_overload(Bench& bench);
[[nodiscard]] Result<void> run_noisy_tenant(Bench& bench);
[[nodiscard]] Result<void> run_blind_spot(Bench& bench);
[[nodiscard]] Result<void> run_drain(Bench& bench);
[[nodiscard]] Result<void> run_rolling(Bench& bench);
[[nodiscard]] Result<void> run_soak(Bench& bench);

}  // namespace penstock::lab
