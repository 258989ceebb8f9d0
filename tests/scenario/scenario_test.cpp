// One test a scenario of the files in cases/.
#include "tests/scenario/scenario.h"

#include <cstddef>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "tests/scenario/run.h"
#include "tests/support/loopback.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

class ScenarioTest : public testing::TestWithParam<Scenario> {};

TEST_P(ScenarioTest, Plays) { run(GetParam()); }

std::string name_of(const testing::TestParamInfo<Scenario>& info) {
  return info.param.file + "_" + info.param.name;
}

constexpr std::size_t kBytesMax = 20'000;  // for a client that looks at all it has at each byte

// What a provider is going to send.
std::size_t bytes_of(const Scenario& scenario) {
  std::size_t bytes = 0;
  for (const test::Answer& answer : scenario.answers)
    for (const test::Step& step : answer.steps) {
      if (const auto* send = std::get_if<test::step::Send>(&step)) bytes += send->bytes.size();
      if (const auto* chunk = std::get_if<test::step::Chunk>(&step)) bytes += chunk->bytes.size();
      if (const auto* event = std::get_if<test::step::Event>(&step)) bytes += event->data.size();
    }
  return bytes;
}

// The same, where every answer reaches the gateway a byte at a time: it is cut at every byte, and
// nothing that a scenario expects may change for that. Those that say how bytes come, and those
// that are about many, are left alone.
std::vector<Scenario> byte_by_byte() {
  std::vector<Scenario> all = read_scenarios(PENSTOCK_SCENARIO_CASES);
  std::erase_if(all, [](const Scenario& scenario) {
    return scenario.from_provider != test::LoopbackOptions() || bytes_of(scenario) > kBytesMax;
  });
  for (Scenario& scenario : all) scenario.from_provider.bytes_per_read = 1;
  return all;
}

INSTANTIATE_TEST_SUITE_P(ByteByByte, ScenarioTest, testing::ValuesIn(byte_by_byte()), name_of);
INSTANTIATE_TEST_SUITE_P(Cases, ScenarioTest,
                         testing::ValuesIn(read_scenarios(PENSTOCK_SCENARIO_CASES)), name_of);

}  // namespace

// What GoogleTest shows of a parameter.
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

}  // namespace penstock::scenario
