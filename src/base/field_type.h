#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/field.h"

// The rows of field.h without their types, so that whoever walks them (binding, show, schema,
// docs) is plain code. See field_table.h for where they come from.
namespace penstock {

enum class Kind : std::uint8_t {
  kBool,
  kCount,
  kDuration,
  kBytes,
  kRatio,
  kPerTime,
  kTime,
  kEnum,  // down to here: number and assign
  kText,
  kSecret,
  kOptional,
  kList,
  kNamed,
  kStruct,
};

struct Row;

// How to read and write a value of one type through a pointer to it. What a kind has no use for is
// null or empty.
struct TypeInfo {
  Kind kind = Kind::kStruct;

  // Numbers in the unit of the kind: nanoseconds, bytes, parts per million, PerTime::number(),
  // microseconds of UTC, 0 or 1, the value of the enumerator.
  std::int64_t (*number)(const void* value) = nullptr;
  void (*assign)(void* value, std::int64_t number) = nullptr;
  std::int64_t number_max = std::numeric_limits<std::int64_t>::max();
  std::span<const EnumName<std::int64_t>> words{};
  std::span<const std::string_view> later_words{};

  const std::string& (*text)(const void* value) = nullptr;
  void (*assign_text)(void* value, std::string_view text, std::string_view folder) = nullptr;

  const TypeInfo* element = nullptr;
  std::size_t (*size)(const void* value) = nullptr;
  const void* (*at)(const void* value, std::size_t index) = nullptr;
  std::string_view (*name_at)(const void* value, std::size_t index) = nullptr;
  void* (*add)(void* value, std::string_view name) = nullptr;
  void (*clear)(void* value) = nullptr;  // of an optional: no value; of a list: no items

  std::span<const Row> rows{};
  std::span<const std::string_view> later_keys{};
  std::string_view shorthand{};
  const void* (*defaults)() = nullptr;  // a value as it is when nothing is written
};

struct Row {
  std::string_view key;
  Rule rule;
  Reload reload;
  std::string_view doc;
  const TypeInfo* type;
  const void* (*get)(const void* owner);
  void* (*edit)(void* owner);
};

}  // namespace penstock
