#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/field.h"
#include "base/field_type.h"
#include "config/yaml_tree.h"

namespace penstock::config {

// What is wrong with a scalar, without place and path; an empty text: nothing.
struct ScalarFault {
  std::string text;
  std::string hint;
};

// Reads a scalar node into `value` as `type` and `rule` say; leaves it alone when it does not fit.
//
// value:   of the type; what it holds before serves as the example in a hint.
// folder:  where the relative paths of secrets start.
// result:  never repeats what was written for secrets or for texts of a given shape: somebody may
//          have put the secret itself there.
[[nodiscard]] ScalarFault read_scalar(const Node& node, const TypeInfo& type, const Rule& rule,
                                      std::string_view folder, void* value);

// The hint for a mistyped word: `did you mean "openai"?`, or empty.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace penstock::config
