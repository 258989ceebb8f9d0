// One test a scenario of the files in cases/.
#include "tests/scenario/scenario.h"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/scenario/run.h"

namespace penstock::scenario {
namespace {

class ScenarioTest : public testing::TestWithParam<Scenario> {};

TEST_P(ScenarioTest, Plays) { run(GetParam()); }

std::string name_of(const testing::TestParamInfo<Scenario>& info) {
  return info.param.file + "_" + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Cases, ScenarioTest,
                         testing::ValuesIn(read_scenarios(PENSTOCK_SCENARIO_CASES)), name_of);

}  // namespace

// What GoogleTest shows of a parameter.
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

}  // namespace penstock::scenario
