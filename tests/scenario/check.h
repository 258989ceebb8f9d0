#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"

// Each reports what is not as expected as a test failure.
namespace penstock::scenario {

// Whether anything more can come on a client's connection.
enum class Line : std::uint8_t { kOpen, kOver };

// How a reply ended.
[[nodiscard]] End end_of(const Reply& reply, Line line);

void check_reply(const ReplyExpected& expected, const Reply& reply, Line line);
// What the provider was asked. Before the clients leave.
void check_asked(const Scenario& scenario, const GatewayRig& rig);
void check_log(const Scenario& scenario, const std::vector<std::string>& lines);
// Which requests operators are told to have been cut, in any order.
void check_cut(const Scenario& scenario, const std::vector<std::string>& lines);
// What else operators are told, or the audit log, and how often.
void check_told(const Counts& told, const std::vector<std::string>& lines);
void check_metrics(const Scenario& scenario, std::string_view exposition);

}  // namespace penstock::scenario
