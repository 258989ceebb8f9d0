#include "config/value_text.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/field.h"
#include "base/field_type.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace penstock::config {

std::string number_text(Kind kind, std::int64_t number) {
  switch (kind) {
    case Kind::kBool: return number != 0 ? "true" : "false";
    case Kind::kCount: return fmt::format("{}", number);
    case Kind::kDuration: return duration_text(Duration(number));
    case Kind::kBytes: return bytes_text(Bytes{static_cast<std::uint64_t>(number)});
    case Kind::kRatio: return ratio_text(Ratio{static_cast<std::uint32_t>(number)});
    case Kind::kPerTime: return per_time_text(PerTime::of_number(number));
    case Kind::kTime: return wall_time_text(WallTime(WallTime::duration(number)));
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

std::string value_text(const TypeInfo& type, const void* value) {
  if (type.text != nullptr) return type.text(value);
  PENSTOCK_ASSERT(type.number != nullptr);
  const std::int64_t number = type.number(value);
  if (type.kind != Kind::kEnum) return number_text(type.kind, number);
  for (const EnumName<std::int64_t>& word : type.words)
    if (word.value == number) return std::string(word.word);
  PENSTOCK_ASSERT(false);
}

std::string range_text(const TypeInfo& type, const Rule& rule) {
  if (rule.unit == Unit::kNone) return "";
  const Kind kind = type.kind == Kind::kOptional ? type.element->kind : type.kind;
  const std::string low = number_text(kind, rule.low);
  return rule.low == rule.high ? low : fmt::format("{} to {}", low, number_text(kind, rule.high));
}

std::string type_text(const TypeInfo& type) {
  switch (type.kind) {
    case Kind::kBool: return "true | false";
    case Kind::kCount: return "whole number";
    case Kind::kDuration: return "duration";
    case Kind::kBytes: return "size";
    case Kind::kRatio: return "percentage";
    case Kind::kPerTime: return "rate";
    case Kind::kTime: return "moment";
    case Kind::kText: return "text";
    case Kind::kSecret: return "secret";
    case Kind::kOptional: return type_text(*type.element);
    case Kind::kList: return "list";
    case Kind::kNamed: return "named sections";
    case Kind::kStruct: return "section";
    case Kind::kEnum: break;
  }
  std::string words;
  for (const EnumName<std::int64_t>& word : type.words)
    words += fmt::format("{}{}", words.empty() ? "" : " | ", word.word);
  return words;
}

bool is_scalar(Kind kind) { return kind <= Kind::kSecret; }

}  // namespace penstock::config
