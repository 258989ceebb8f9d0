#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "base/field_text.h"
#include "base/named.h"
#include "policy/pattern_kind.h"

namespace penstock::policy {

// What becomes of an identifier.
enum class RedactAction : std::uint8_t { kMask, kBlock };

constexpr auto enum_names(Describe<RedactAction>) {
  return std::array{EnumName<RedactAction>{"mask", RedactAction::kMask},
                    EnumName<RedactAction>{"block", RedactAction::kBlock}};
}

enum class Direction : std::uint8_t { kRequest, kResponse };

constexpr auto enum_names(Describe<Direction>) {
  return std::array{EnumName<Direction>{"request", Direction::kRequest},
                    EnumName<Direction>{"response", Direction::kResponse}};
}

// YAML: tenants.T.workloads.W.redact.custom.NAME
struct CustomConfig {
  std::string expression;
};

constexpr auto fields(Describe<CustomConfig>) {
  using C = CustomConfig;
  return std::tuple{
      field("expression", &C::expression, required(any()), Reload::kLive,
            "RE2 syntax, of bounded length: {1,20} instead of * and +; no anchors."),
  };
}
constexpr std::string_view shorthand(Describe<CustomConfig>) { return "expression"; }

// YAML: tenants.T.workloads.W.redact
struct RedactConfig {
  std::vector<PatternKind> patterns;
  Named<CustomConfig> custom;
  std::vector<Direction> on;  // empty: both
  RedactAction action = RedactAction::kMask;
};

constexpr auto fields(Describe<RedactConfig>) {
  using C = RedactConfig;
  return std::tuple{
      field("patterns", &C::patterns, any(), Reload::kLive,
            "The built-in kinds to look for: email, phone, card, iban, ssn, ipv4, ipv6, api_key, "
            "private_key."),
      field("custom", &C::custom, kNameRule, Reload::kLive,
            "Further identifiers: a name, which is also the mask, and an expression."),
      field("on", &C::on, any(), Reload::kLive,
            "Where to look: request, response; both where nothing is written."),
      field("action", &C::action, any(), Reload::kLive,
            "mask puts the kind's name in the identifier's place; block refuses the request, or "
            "ends the reply."),
  };
}

}  // namespace penstock::policy
