#pragma once

#include "tests/scenario/scenario.h"

namespace penstock::scenario {

// Plays a scenario on virtual time and reports what is not as expected as test failures. Whatever
// it is, afterwards nothing may be in flight, charged or armed, and each request has its one line
// in the access log.
void run(const Scenario& scenario);

}  // namespace penstock::scenario
