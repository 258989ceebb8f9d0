#include "tests/scenario/check.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/log_member.h"
#include "tests/scenario/scenario.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view name(End end) {
  switch (end) {
    case End::kWhole: return "whole";
    case End::kTerminal: return "terminal";
    case End::kErrorEvent: return "error_event";
    case End::kBroken: return "broken";
    case End::kClosed: return "closed";
    case End::kOpen: return "open";
  }
  return "unknown";
}

// The last "code" in an error body or a stream.
std::string code_in(std::string_view body) {
  constexpr std::string_view kKey = R"("code":")";
  const std::size_t at = body.rfind(kKey);
  if (at == std::string_view::npos) return {};
  body.remove_prefix(at + kKey.size());
  return std::string(body.substr(0, body.find('"')));
}

// value: as it stands in the line; with `~` in front a number of microseconds that may be up to two
// ticks larger.
void check_member(const std::string& line, const std::string& key, const std::string& value) {
  const std::string got(log_member(line, key).value_or("(none)"));
  if (!value.starts_with('~')) {
    EXPECT_EQ(got, value) << key << " in " << line;
    return;
  }
  const long long wanted = std::stoll(value.substr(1));
  EXPECT_GE(std::stoll(got), wanted) << key << " in " << line;
  EXPECT_LE(std::stoll(got), wanted + 8000) << key << " in " << line;
}

// value: as it was sent; with `~` in front a number of milliseconds left that may be up to two
// ticks smaller.
void check_asked_field(const std::string& key, const std::string& value,
                       const test::ScriptedUpstream::Request& request) {
  const std::string got = request.field(key);
  if (!value.starts_with('~')) {
    EXPECT_EQ(got, value) << key;
    return;
  }
  const long long wanted = std::stoll(value.substr(1));
  EXPECT_LE(std::stoll(got), wanted) << key;
  EXPECT_GE(std::stoll(got), wanted - 8) << key;
}

void check_body(const ReplyExpected& expected, const std::string& body) {
  if (expected.body) EXPECT_EQ(body, *expected.body);
  std::size_t from = 0;
  for (const std::string& part : expected.contains) {
    const std::size_t at = body.find(part, from);
    EXPECT_NE(at, std::string::npos) << part << "\nis not (in this order) in\n" << body;
    if (at != std::string::npos) from = at + part.size();
  }
  for (const std::string& part : expected.lacks)
    EXPECT_FALSE(has(body, part)) << part << "\nis in\n" << body;
}

}  // namespace

End end_of(const Reply& reply, Line line) {
  if (reply.status == 0) return line == Line::kOver ? End::kClosed : End::kOpen;
  if (!reply.whole) return line == Line::kOver ? End::kBroken : End::kOpen;
  if (!has(reply.field("content-type").value_or(""), "text/event-stream")) return End::kWhole;
  const bool done = has(reply.body, "data: [DONE]") || has(reply.body, "data:[DONE]");
  const bool partial = has(reply.body, R"("partial":true)");
  EXPECT_NE(done, partial) << "a stream ends in exactly one of two ways:\n" << reply.body;
  return done ? End::kTerminal : End::kErrorEvent;
}

void check_reply(const ReplyExpected& expected, const Reply& reply, Line line) {
  const End end = end_of(reply, line);
  if (expected.status) EXPECT_EQ(reply.status, *expected.status) << reply.body;
  if (expected.end) EXPECT_EQ(name(end), name(*expected.end)) << reply.body;
  if (expected.code) EXPECT_EQ(code_in(reply.body), *expected.code) << reply.body;
  for (const auto& [key, value] : expected.headers) {
    const std::optional<std::string> got = reply.field(key);
    EXPECT_TRUE(got) << key << " is missing";
    if (got && value != "*") EXPECT_EQ(*got, value) << key;
  }
  for (const std::string& key : expected.absent) EXPECT_FALSE(reply.field(key)) << key;
  if (reply.status != 0 && expected.log_lines != 0) EXPECT_TRUE(reply.field("x-request-id"));
  check_body(expected, reply.body);
}

void check_asked(const Scenario& scenario, const GatewayRig& rig) {
  const auto& requests = rig.upstream.requests();
  EXPECT_EQ(requests.size(), scenario.asked_count);
  if (scenario.keys_asked) EXPECT_EQ(rig.issuer.requests().size(), *scenario.keys_asked);
  if (scenario.dials) EXPECT_EQ(rig.net.counts(GatewayRig::kPlace).dials, *scenario.dials);
  for (const test::ScriptedUpstream::Request& request : requests)
    EXPECT_FALSE(request.malformed) << request.head;
  for (std::size_t i = 0; i < std::min(requests.size(), scenario.asked.size()); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "asked " + std::to_string(i));
    const AskedExpected& expected = scenario.asked[i];
    const test::ScriptedUpstream::Request& request = requests[i];
    for (const auto& [key, value] : expected.headers) check_asked_field(key, value, request);
    for (const std::string& key : expected.absent) EXPECT_EQ(request.field(key), "") << key;
    if (expected.target) EXPECT_EQ(request.target, *expected.target);
    if (expected.body) EXPECT_EQ(request.body, *expected.body);
    if (expected.left) EXPECT_EQ(request.peer_left, *expected.left);
  }
}

void check_log(const Scenario& scenario, const std::vector<std::string>& lines) {
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < scenario.calls.size(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "call " + std::to_string(i));
    const ReplyExpected& expected = scenario.calls[i].expected;
    wanted += expected.log_lines;
    if (expected.log.empty()) continue;
    const std::string id = "\"request_id\":\"r" + std::to_string(i) + "\"";
    const auto line = std::ranges::find_if(lines, [&](const auto& one) { return has(one, id); });
    if (line == lines.end()) {
      ADD_FAILURE() << "no access-log line";
      continue;
    }
    for (const auto& [key, value] : expected.log) check_member(*line, key, value);
  }
  EXPECT_EQ(lines.size(), wanted) << "access-log lines";
}

void check_cut(const Scenario& scenario, const std::vector<std::string>& lines) {
  if (!scenario.cut) return;
  std::vector<std::string> records;
  for (const std::string& line : lines)
    if (line.find("request cut by draining") != std::string::npos) records.push_back(line);
  EXPECT_EQ(records.size(), scenario.cut->size());
  for (const std::string& wanted : *scenario.cut)
    EXPECT_TRUE(std::ranges::any_of(records, [&](const std::string& record) {
      return record.find(wanted) != std::string::npos;
    })) << wanted;
}

void check_told(const Counts& told, const std::vector<std::string>& lines) {
  for (const auto& [text, wanted] : told) {
    const auto tells = [&text](const std::string& line) { return has(line, text); };
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(lines, tells)), wanted)
        << text << "\nin\n"
        << testing::PrintToString(lines);
  }
}

void check_metrics(const Scenario& scenario, std::string_view exposition) {
  for (const std::string& line : scenario.metrics)
    EXPECT_TRUE(has(exposition, "\npenstock_" + line + "\n")) << line << "\nis not in\n"
                                                              << exposition;
}

}  // namespace penstock::scenario
