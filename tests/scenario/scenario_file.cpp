#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity_text.h"
#include "base/units.h"
#include "config/problem.h"
#include "config/yaml_tree.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"
#include "tests/support/loopback.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

using config::Node;
using config::NodeKind;

// A file that is no scenario file; caught where files are read.
[[noreturn]] void wrong(const Node& node, const std::string& what) {
  throw std::runtime_error("line " + std::to_string(node.mark.line) + ": " + what);
}

const std::string& text(const Node& node) {
  if (node.kind != NodeKind::kScalar) wrong(node, "a text is wanted");
  return node.text;
}
Duration duration(const Node& node) {
  const auto parsed = parse_duration(text(node));
  if (!parsed) wrong(node, "\"" + node.text + "\" is no duration");
  return *parsed;
}
std::size_t count(const Node& node) {
  if (const auto bytes = parse_bytes(text(node))) return static_cast<std::size_t>(bytes->value);
  const auto parsed = parse_count(node.text);
  if (!parsed) wrong(node, "\"" + node.text + "\" is no number");
  return static_cast<std::size_t>(*parsed);
}
bool yes(const Node& node) {
  if (text(node) != "yes" && node.text != "no") wrong(node, "yes or no");
  return node.text == "yes";
}
Lines lines(const Node& node) {
  Lines all;
  if (node.kind == NodeKind::kScalar) return {node.text};
  for (const Node& item : node.items) all.push_back(text(item));
  return all;
}
// Each member's key with what `value` reads of it.
template <class Entries, class Read>
Entries entries(const Node& node, const Read& value) {
  Entries all;
  if (node.kind != NodeKind::kMap) wrong(node, "a map is wanted");
  for (const config::Member& member : node.members)
    all.emplace_back(member.key, value(member.value));
  return all;
}
Pairs pairs(const Node& node) { return entries<Pairs>(node, text); }
Counts counts(const Node& node) { return entries<Counts>(node, count); }

// What to do with each member; an unknown one is an error.
using Takers = std::map<std::string_view, std::function<void(const Node&)>>;
void take(const Node& node, const Takers& takers) {
  if (node.kind != NodeKind::kMap) wrong(node, "a map is wanted");
  for (const config::Member& member : node.members) {
    const auto taker = takers.find(member.key);
    if (taker == takers.end()) wrong(member.value, "unknown key " + member.key);
    taker->second(member.value);
  }
}

template <class T>
T word(const Node& node, const std::map<std::string_view, T>& words) {
  const auto found = words.find(text(node));
  if (found == words.end()) wrong(node, "unknown word " + node.text);
  return found->second;
}

test::LoopbackOptions pipe(const Node& node) {
  test::LoopbackOptions options;
  take(node, {{"capacity", [&](const Node& n) { options.capacity = count(n); }},
              {"bytes_per_read", [&](const Node& n) { options.bytes_per_read = count(n); }},
              {"stall_after", [&](const Node& n) { options.stall_after = count(n); }},
              {"reset_after", [&](const Node& n) { options.reset_after = count(n); }}});
  return options;
}

test::Step step(const Node& node) {
  if (node.kind == NodeKind::kScalar) {
    if (auto plain = plain_step(node.text)) return *std::move(plain);
    wrong(node, "unknown step " + node.text);
  }
  if (node.kind != NodeKind::kMap || node.members.size() != 1) wrong(node, "one step");
  const std::string& kind = node.members.front().key;
  const Node& value = node.members.front().value;
  if (kind == "wait") return test::step::Wait{duration(value)};
  if (kind == "fill") return fill_step(count(value));
  if (kind == "send_fill") return test::step::Send{std::string(count(value), 'x')};
  if (auto made = text_step(kind, text(value))) return *std::move(made);
  wrong(node, "unknown step " + kind);
}

test::Answer answer(const Node& node) {
  test::Answer made;
  int status = 200;
  std::string fields;
  std::optional<std::string> body;
  take(node, {{"status", [&](const Node& n) { status = static_cast<int>(count(n)); }},
              {"headers", [&](const Node& n) { fields = text(n); }},
              {"json", [&](const Node& n) { body = text(n); }},
              {"from",
               [&](const Node& n) {
                 made.from = word<test::Answer::From>(
                     n, {{"head", test::Answer::From::kHead}, {"body", test::Answer::From::kBody}});
               }},
              {"steps", [&](const Node& n) {
                 for (const Node& item : n.items) made.steps.push_back(step(item));
               }}});
  if (body) made.steps.insert(made.steps.begin(), reply_step(status, fields, *body));
  return made;
}

ReplyExpected reply(const Node& node) {
  ReplyExpected expected;
  const std::map<std::string_view, End> ends{
      {"whole", End::kWhole},   {"terminal", End::kTerminal}, {"error_event", End::kErrorEvent},
      {"broken", End::kBroken}, {"closed", End::kClosed},     {"open", End::kOpen}};
  take(node, {{"status", [&](const Node& n) { expected.status = static_cast<int>(count(n)); }},
              {"code", [&](const Node& n) { expected.code = text(n); }},
              {"headers", [&](const Node& n) { expected.headers = pairs(n); }},
              {"absent", [&](const Node& n) { expected.absent = lines(n); }},
              {"body", [&](const Node& n) { expected.body = text(n); }},
              {"contains", [&](const Node& n) { expected.contains = lines(n); }},
              {"lacks", [&](const Node& n) { expected.lacks = lines(n); }},
              {"end", [&](const Node& n) { expected.end = word(n, ends); }},
              {"took", [&](const Node& n) { expected.took = duration(n); }},
              {"log", [&](const Node& n) { expected.log = pairs(n); }},
              {"log_lines", [&](const Node& n) { expected.log_lines = count(n); }}});
  return expected;
}

// Builds the request's bytes; its x-request-id is "r" and its place among the calls.
ClientCall call(const Node& node, std::size_t place) {
  ClientCall made;
  RequestParts parts;
  parts.id = "r" + std::to_string(place);
  take(node, {{"at", [&](const Node& n) { made.at = duration(n); }},
              {"on", [&](const Node& n) { made.on = text(n); }},
              {"get", [&](const Node& n) { parts.method = "GET", parts.target = text(n); }},
              {"post", [&](const Node& n) { parts.target = text(n); }},
              {"headers", [&](const Node& n) { parts.fields = text(n); }},
              {"chat", [&](const Node& n) { parts.body = chat_body(text(n), Streamed::kNo); }},
              {"stream", [&](const Node& n) { parts.body = chat_body(text(n), Streamed::kYes); }},
              {"body", [&](const Node& n) { parts.body = text(n); }},
              {"body_fill", [&](const Node& n) { parts.body += std::string(count(n), ' '); }},
              {"send_only", [&](const Node& n) { parts.send_only = count(n); }},
              {"raw", [&](const Node& n) { parts.raw = text(n); }},
              {"to_client", [&](const Node& n) { made.to_client = pipe(n); }},
              {"read_at", [&](const Node& n) { made.read_at = duration(n); }},
              {"leave_at", [&](const Node& n) { made.leave_at = duration(n); }},
              {"leave_after", [&](const Node& n) { made.leave_after = count(n); }},
              {"leave",
               [&](const Node& n) {
                 made.leave = word<Leave>(n, {{"close", Leave::kClose},
                                              {"reset", Leave::kReset},
                                              {"half_close", Leave::kHalfClose}});
               }},
              {"expect", [&](const Node& n) { made.expected = reply(n); }}});
  made.bytes = request_bytes(parts);
  return made;
}

AskedExpected asked(const Node& node) {
  AskedExpected expected;
  take(node, {{"headers", [&](const Node& n) { expected.headers = pairs(n); }},
              {"absent", [&](const Node& n) { expected.absent = lines(n); }},
              {"target", [&](const Node& n) { expected.target = text(n); }},
              {"body", [&](const Node& n) { expected.body = text(n); }},
              {"left", [&](const Node& n) { expected.left = yes(n); }}});
  return expected;
}

Scenario scenario(const Node& node) {
  Scenario made;
  take(node, {{"name", [&](const Node& n) { made.name = text(n); }},
              {"why", [](const Node& n) { text(n); }},
              {"config", [&](const Node& n) { made.config = text(n); }},
              {"provider", [&](const Node& n) { made.provider = text(n); }},
              {"network", [&](const Node& n) { made.network = text(n); }},
              {"to_provider", [&](const Node& n) { made.to_provider = pipe(n); }},
              {"from_provider", [&](const Node& n) { made.from_provider = pipe(n); }},
              {"upstream",
               [&](const Node& n) {
                 for (const Node& item : n.items) made.answers.push_back(answer(item));
               }},
              {"issuer",
               [&](const Node& n) {
                 for (const Node& item : n.items) made.key_answers.push_back(answer(item));
               }},
              {"keys_asked", [&](const Node& n) { made.keys_asked = count(n); }},
              {"upstream_always", [&](const Node& n) { made.answer_always = yes(n); }},
              {"calls",
               [&](const Node& n) {
                 for (const Node& item : n.items)
                   made.calls.push_back(call(item, made.calls.size()));
               }},
              {"drain_at", [&](const Node& n) { made.drain_at = duration(n); }},
              {"close_idle_at", [&](const Node& n) { made.close_idle_at = duration(n); }},
              {"cut", [&](const Node& n) { made.cut = lines(n); }},
              {"told", [&](const Node& n) { made.told = counts(n); }},
              {"audited", [&](const Node& n) { made.audited = counts(n); }},
              {"audit_lines", [&](const Node& n) { made.audit_lines = count(n); }},
              {"control", [&](const Node& n) { made.control = yes(n); }},
              {"shut_down_at", [&](const Node& n) { made.shut_down_at = duration(n); }},
              {"asked_count", [&](const Node& n) { made.asked_count = count(n); }},
              {"asked",
               [&](const Node& n) {
                 for (const Node& item : n.items) made.asked.push_back(asked(item));
               }},
              {"dials", [&](const Node& n) { made.dials = count(n); }},
              {"unsent_at", [&](const Node& n) { made.unsent_at = duration(n); }},
              {"unsent_min", [&](const Node& n) { made.unsent_min = count(n); }},
              {"metrics", [&](const Node& n) { made.metrics = lines(n); }}});
  if (made.name.empty()) wrong(node, "a scenario needs a name");
  if (made.calls.empty()) wrong(node, "a scenario needs calls");
  return made;
}

void read_file(const std::filesystem::path& path, std::vector<Scenario>& into) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const config::Tree tree = config::parse_yaml(bytes);
  if (!tree.problems.empty())
    throw std::runtime_error(config::render(tree.problems.front(), path.filename().string()));
  for (const Node& item : tree.root.items) {
    Scenario made = scenario(item);
    made.file = path.stem().string();
    into.push_back(std::move(made));
  }
}

}  // namespace

std::vector<Scenario> read_scenarios(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Scenario> all;
  for (const std::filesystem::path& path : paths) {
    try {
      read_file(path, all);
    } catch (const std::exception& thrown) {
      Scenario broken;  // without calls: its test fails and shows the words
      broken.file = path.stem().string();
      broken.name = "CannotBeRead";
      broken.config = thrown.what();
      all.push_back(std::move(broken));
    }
  }
  return all;
}

}  // namespace penstock::scenario
