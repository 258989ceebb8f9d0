#include "lab/experiments/catalogue.h"

#include <array>
#include <span>

#include "lab/experiments/experiments.h"

namespace penstock::lab {
namespace {

constexpr std::array kExperiments{
    Experiment{"steady", "Concurrency doubles until the provider is saturated; the knee is named.",
               &run_steady},
    Experiment{"canary-split", "A 90/10 split lies within its 99.99 % binomial interval.",
               &run_canary_split},
    Experiment{"canary-killed", "A canary that dies costs no request; its share is reabsorbed.",
               &run_canary_killed},
    Experiment{"blind-spot",
               "300 clients over 50 connections: the wait is seen, the provider's time is flat.",
               &run_blind_spot},
};

}  // namespace

std::span<const Experiment> experiments() { return kExperiments; }

}  // namespace penstock::lab
