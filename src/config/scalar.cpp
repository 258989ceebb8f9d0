#include "config/scalar.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/field.h"
#include "base/field_type.h"
#include "base/nearest.h"
#include "base/quantity_text.h"
#include "base/units.h"
#include "config/problem.h"
#include "config/value_text.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

template <class T>
Parsed<std::int64_t> as_number(const Parsed<T>& parsed, auto&& number) {
  if (!parsed) return std::unexpected(parsed.error());
  return number(*parsed);
}

// kind: kCount to kTime.
Parsed<std::int64_t> parse_number(Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::kCount: return parse_count(text);
    case Kind::kDuration:
      return as_number(parse_duration(text), [](Duration value) { return value.count(); });
    case Kind::kBytes:
      return as_number(parse_bytes(text),
                       [](Bytes value) { return static_cast<std::int64_t>(value.value); });
    case Kind::kRatio:
      return as_number(parse_ratio(text), [](Ratio value) { return std::int64_t{value.ppm}; });
    case Kind::kPerTime:
      return as_number(parse_per_time(text), [](PerTime value) { return value.number(); });
    case Kind::kTime:
      return as_number(parse_wall_time(text),
                       [](WallTime value) { return value.time_since_epoch().count(); });
    case Kind::kBool:
    case Kind::kEnum:
    case Kind::kText:
    case Kind::kSecret:
    case Kind::kOptional:
    case Kind::kList:
    case Kind::kNamed:
    case Kind::kStruct: break;
  }
  PENSTOCK_ASSERT(false);
}

std::string_view wanted(Kind kind) {
  switch (kind) {
    case Kind::kCount: return "a whole number";
    case Kind::kDuration: return "a length of time";
    case Kind::kBytes: return "a size";
    case Kind::kRatio: return "a percentage";
    case Kind::kPerTime: return "a rate";
    case Kind::kTime: return "a moment in UTC";
    case Kind::kBool:
    case Kind::kEnum:
    case Kind::kText:
    case Kind::kSecret:
    case Kind::kOptional:
    case Kind::kList:
    case Kind::kNamed:
    case Kind::kStruct: break;
  }
  return "such a value";
}

std::string example(const TypeInfo& type, const Rule& rule, const void* value) {
  if (type.kind == Kind::kPerTime) return "such as 100/s";
  if (type.kind == Kind::kTime) return "such as 2027-06-30T00:00:00Z";
  const std::int64_t shown =
      type.number(value) != 0 ? type.number(value) : std::max<std::int64_t>(rule.low, 1);
  return fmt::format("such as {}", number_text(type.kind, shown));
}

ScalarFault read_number(const Node& node, const TypeInfo& type, const Rule& rule, void* value) {
  // "5" in quotes is a text; "5s" has to be one in JSON.
  if (type.kind == Kind::kCount && node.style == Style::kQuoted)
    return {fmt::format("{} is a text, not a whole number", quoted(node.text)),
            "leave out the quotes"};
  const Parsed<std::int64_t> number = parse_number(type.kind, node.text);
  if (!number) {
    switch (number.error()) {
      case QuantityFault::kNotANumber:
        return {fmt::format("{} is not {}", quoted(node.text), wanted(type.kind)),
                example(type, rule, value)};
      case QuantityFault::kNoUnit:
        return {fmt::format("{} has no unit", quoted(node.text)), example(type, rule, value)};
      case QuantityFault::kUnknownUnit:
        return {fmt::format("{} has no known unit", quoted(node.text)), example(type, rule, value)};
      case QuantityFault::kTooLarge:
        return {fmt::format("{} is out of range", quoted(node.text)), range_text(type, rule)};
    }
  }
  if (*number < rule.low || *number > std::min(rule.high, type.number_max))
    return {fmt::format("{} is out of range", node.text), range_text(type, rule)};
  type.assign(value, *number);
  return {};
}

ScalarFault read_bool(const Node& node, const TypeInfo& type, void* value) {
  const bool plain = node.style == Style::kPlain;
  if (plain && (node.text == "true" || node.text == "false")) {
    type.assign(value, node.text == "true" ? 1 : 0);
    return {};
  }
  return {fmt::format("{} is not true or false", quoted(node.text)), ""};
}

ScalarFault read_word(const Node& node, const TypeInfo& type, void* value) {
  std::vector<std::string_view> known;
  for (const EnumName<std::int64_t>& word : type.words) {
    if (word.word == node.text) {
      type.assign(value, word.value);
      return {};
    }
    known.push_back(word.word);
  }
  if (std::ranges::find(type.later_words, node.text) != type.later_words.end())
    return {fmt::format("{} is not in this version", quoted(node.text)),
            fmt::format("this version has {}", fmt::join(known, ", "))};
  std::string hint = did_you_mean(node.text, known);
  if (hint.empty()) hint = fmt::format("one of {}", fmt::join(known, ", "));
  return {fmt::format("unknown word {}", quoted(node.text)), std::move(hint)};
}

ScalarFault read_text(const Node& node, const TypeInfo& type, const Rule& rule, void* value) {
  if (node.text.empty()) return {"must not be empty", ""};
  if (rule.check != nullptr) {
    const std::string_view complaint = rule.check(node.text);
    if (!complaint.empty())
      return {std::string(complaint),
              rule.example.empty() ? "" : fmt::format("such as {}", rule.example)};
  }
  type.assign_text(value, node.text, "");
  return {};
}

bool is_reference(std::string_view text) {
  if (text.starts_with("file:")) return text.size() > 5;
  if (!text.starts_with("env:")) return false;
  const std::string_view name = text.substr(4);
  const bool digit_first = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return !name.empty() && !digit_first && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

ScalarFault read_secret(const Node& node, const TypeInfo& type, std::string_view folder,
                        void* value) {
  if (!is_reference(node.text))
    return {"must be a reference, never the secret itself", "env:NAME or file:path"};
  type.assign_text(value, node.text, folder);
  return {};
}

}  // namespace

ScalarFault read_scalar(const Node& node, const TypeInfo& type, const Rule& rule,
                        std::string_view folder, void* value) {
  PENSTOCK_ASSERT(is_scalar(type.kind));
  switch (type.kind) {
    case Kind::kBool: return read_bool(node, type, value);
    case Kind::kEnum: return read_word(node, type, value);
    case Kind::kText: return read_text(node, type, rule, value);
    case Kind::kSecret: return read_secret(node, type, folder, value);
    case Kind::kCount:
    case Kind::kDuration:
    case Kind::kBytes:
    case Kind::kRatio:
    case Kind::kPerTime:
    case Kind::kTime:
    case Kind::kOptional:
    case Kind::kList:
    case Kind::kNamed:
    case Kind::kStruct: break;
  }
  return read_number(node, type, rule, value);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> best = nearest(word, candidates);
  return best ? fmt::format("did you mean {}?", quoted(*best)) : "";
}

}  // namespace penstock::config
