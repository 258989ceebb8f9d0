#include "policy/redactor.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "policy/custom_pattern.h"
#include "policy/finders.h"
#include "policy/pattern_kind.h"
#include "policy/redact_config.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

std::unexpected<Error> wrong(std::string_view pattern, std::string what) {
  Error error(ErrorCode::kInvalidRequest, std::move(what));
  error.param = pattern;
  return fail(std::move(error));
}

}  // namespace

Result<Redactor> Redactor::build(const RedactConfig& config) {
  Redactor out;
  out.action_ = config.action;
  if (config.on.empty()) out.directions_ = {true, true};
  for (const Direction direction : config.on)
    out.directions_[static_cast<std::size_t>(direction)] = true;
  for (const PatternKind kind : config.patterns) {
    const bool twice = std::ranges::any_of(
        out.patterns_, [kind](const Pattern& pattern) { return pattern.kind == kind; });
    if (!twice) out.patterns_.push_back({kind, fmt::format("[{}]", policy::name(kind))});
  }
  for (const auto& [name, custom] : config.custom) {
    Result<CustomPattern> compiled = CustomPattern::build(custom.expression);
    if (!compiled) return wrong(name, std::move(compiled.error().message));
    out.patterns_.push_back({PatternKind::kCustom, fmt::format("[{}]", name), out.custom_.size()});
    out.custom_.push_back(*std::move(compiled));
  }
  if (out.patterns_.empty()) return wrong("", "has no pattern, so that nothing is looked for");
  if (out.patterns_.size() > kPatternsMax) return wrong("", "has more than 32 patterns");
  // What was masked once must stay as it is.
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const Pattern& other : out.patterns_)
      if (out.find(i, {other.mask, true}, 0).what == Found::What::kMatch)
        return wrong(out.name(i), fmt::format("matches the mask {}", other.mask));
  return out;
}

Found Redactor::find(std::size_t pattern, const Window& window, std::size_t from) const {
  switch (patterns_[pattern].kind) {
    case PatternKind::kEmail: return find_email(window, from);
    case PatternKind::kPhone: return find_phone(window, from);
    case PatternKind::kCard: return find_card(window, from);
    case PatternKind::kIban: return find_iban(window, from);
    case PatternKind::kSsn: return find_ssn(window, from);
    case PatternKind::kIpv4: return find_ipv4(window, from);
    case PatternKind::kIpv6: return find_ipv6(window, from);
    case PatternKind::kApiKey: return find_api_key(window, from);
    case PatternKind::kPrivateKey: return find_private_key(window, from);
    case PatternKind::kCustom: return custom_[patterns_[pattern].custom].find(window, from);
  }
  return {};
}

}  // namespace penstock::policy
