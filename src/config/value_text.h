#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/field.h"
#include "base/field_type.h"

namespace penstock::config {

// A number of that kind as it is written in the file: `15s`, `32MiB`, `2000`, `true`.
// kind: kBool to kTime.
[[nodiscard]] std::string number_text(Kind kind, std::int64_t number);

// A scalar as it is written in the file: a number, a word, a text or the reference of a secret.
[[nodiscard]] std::string value_text(const TypeInfo& type, const void* value);

// `1 to 256`, `100ms to 1h`, or empty when the rule has no bounds.
[[nodiscard]] std::string range_text(const TypeInfo& type, const Rule& rule);

// What kind of value stands there, for people: `whole number`, `duration`, `internal | external`.
[[nodiscard]] std::string type_text(const TypeInfo& type);

// True when the kind is written as one word or text.
[[nodiscard]] bool is_scalar(Kind kind);

}  // namespace penstock::config
