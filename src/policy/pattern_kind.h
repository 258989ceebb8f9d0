#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/describe.h"
#include "base/field.h"

namespace penstock::policy {

// What is found in texts. The built-in ones by their words of the config (docs/reference/
// redaction.md says what each takes for one); kCustom: an expression of the config.
enum class PatternKind : std::uint8_t {
  kEmail,
  kPhone,
  kCard,
  kIban,
  kSsn,
  kIpv4,
  kIpv6,
  kApiKey,
  kPrivateKey,
  kCustom,
};
inline constexpr std::size_t kBuiltInPatterns = 9;

constexpr auto enum_names(Describe<PatternKind>) {
  using Name = EnumName<PatternKind>;
  return std::array{Name{"email", PatternKind::kEmail},
                    Name{"phone", PatternKind::kPhone},
                    Name{"card", PatternKind::kCard},
                    Name{"iban", PatternKind::kIban},
                    Name{"ssn", PatternKind::kSsn},
                    Name{"ipv4", PatternKind::kIpv4},
                    Name{"ipv6", PatternKind::kIpv6},
                    Name{"api_key", PatternKind::kApiKey},
                    Name{"private_key", PatternKind::kPrivateKey}};
}

// The word of a kind, as configured and in metrics; kCustom is `custom`.
[[nodiscard]] constexpr std::string_view name(PatternKind kind) noexcept {
  for (const EnumName<PatternKind>& row : enum_names(Describe<PatternKind>{}))
    if (row.value == kind) return row.word;
  return "custom";
}

}  // namespace penstock::policy
