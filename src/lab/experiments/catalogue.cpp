#include "lab/experiments/catalogue.h"

#include <array>
#include <span>

#include "lab/experiments/experiments.h"

namespace penstock::lab {
namespace {

constexpr std::array kExperiments{
    Experiment{"steady", "Concurrency doubles until the provider is saturated; the knee is named.",
               &run_steady},
    Experiment{"burst",
               "3, 40, 3 requests a second on 20: rate limit and ceiling each keep the p50.",
               &run_burst},
    Experiment{"killed", "A replica dies: no unary call fails, each cut stream is told once.",
               &run_killed},
    Experiment{"hang", "A replica stops answering: no call fails or outlasts one time-out.",
               &run_hang},
    Experiment{"failing", "A replica fails while its health answers: the breaker takes it out.",
               &run_failing},
    Experiment{"canary-split", "A 90/10 split lies within its 99.99 % binomial interval.",
               &run_canary_split},
    Experiment{"canary-killed", "A canary that dies costs no request; its share is reabsorbed.",
               &run_canary_killed},
    Experiment{"brownout",
               "A provider turns slow: the slow-call breaker stops what retries would amplify.",
               &run_brownout},
    Experiment{
        "overload",
        "Three times the capacity, with clients that retry: goodput stays, refusals are fast.",
        &run_overload},
    Experiment{"noisy-tenant", "One tenant at ten times its limit: the other does not notice.",
               &run_noisy_tenant},
    Experiment{"blind-spot",
               "300 clients over 50 connections: the wait is seen, the provider's time is flat.",
               &run_blind_spot},
    Experiment{"drain", "A gateway leaves under 300 streams and cuts none.", &run_drain},
    Experiment{"rolling", "Three gateways behind HAProxy restart in turn: no request fails.",
               &run_rolling},
    Experiment{"soak", "Ten minutes at 60 % with 500 streams and cancels: nothing accumulates.",
               &run_soak},
};

}  // namespace

std::span<const Experiment> experiments() { return kExperiments; }

}  // namespace penstock::lab
