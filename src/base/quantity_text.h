#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/field.h"
#include "base/units.h"

// Quantities as people write them: whole numbers with a unit, nothing between the two.
namespace penstock {

enum class QuantityFault : std::uint8_t {
  kNotANumber,   // does not begin with a digit, or a fraction where there is none
  kNoUnit,       // a bare number
  kUnknownUnit,  // letters that are no unit here
  kTooLarge,     // beyond 64 bits
};

template <class T>
using Parsed = std::expected<T, QuantityFault>;

// `2000`: decimal digits only, no sign.
[[nodiscard]] Parsed<std::int64_t> parse_count(std::string_view text);

// The same for numbers from `low` to `high`; nullopt for any other text.
[[nodiscard]] std::optional<std::uint32_t> parse_count_within(std::string_view text,
                                                              std::uint32_t low,
                                                              std::uint32_t high) noexcept;

// `50ms`; units ns, us, ms, s, m, h, d.
[[nodiscard]] Parsed<Duration> parse_duration(std::string_view text);

// `32MiB`; units B, KiB, MiB, GiB.
[[nodiscard]] Parsed<Bytes> parse_bytes(std::string_view text);

// `10%` or `0.5%`, to four places.
[[nodiscard]] Parsed<Ratio> parse_ratio(std::string_view text);

// `100/s`, `200k/min`; per s, min or h, with k for a thousand and M for a million.
[[nodiscard]] Parsed<PerTime> parse_per_time(std::string_view text);

// `2027-06-30T00:00:00Z`: RFC 3339 in UTC, whole seconds, years 1970 to 9999.
[[nodiscard]] Parsed<WallTime> parse_wall_time(std::string_view text);

// The largest unit that loses nothing: `15s`, `1500ms`, `24h`. What the parsers read back alike.
[[nodiscard]] std::string duration_text(Duration duration);
[[nodiscard]] std::string bytes_text(Bytes bytes);
[[nodiscard]] std::string ratio_text(Ratio ratio);
[[nodiscard]] std::string per_time_text(PerTime rate);
[[nodiscard]] std::string wall_time_text(WallTime time);

}  // namespace penstock
