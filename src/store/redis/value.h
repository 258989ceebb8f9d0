#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock::store::redis {

enum class ValueKind : std::uint8_t { kNil, kInteger, kText, kError, kList };

// One value of a reply. What has no kind of its own here is spelt by the nearest: a boolean is an
// integer 0 or 1, a float is the text that came, a map is a list of keys and values in turn.
struct Value {
  ValueKind kind = ValueKind::kNil;
  std::int64_t integer = 0;  // of kInteger
  std::string text;          // of kText and kError
  std::vector<Value> list;   // of kList

  bool operator==(const Value&) const = default;
};

}  // namespace penstock::store::redis
