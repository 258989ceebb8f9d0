#include "base/quantity_text.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/field.h"
#include "base/units.h"

namespace penstock {
namespace {

struct UnitSize {
  std::string_view word;
  std::int64_t size;
};
constexpr std::array kTimeUnits{
    UnitSize{"ns", 1},
    UnitSize{"us", 1'000},
    UnitSize{"ms", 1'000'000},
    UnitSize{"s", 1'000'000'000},
    UnitSize{"m", 60'000'000'000},
    UnitSize{"h", 3'600'000'000'000},
    UnitSize{"d", 86'400'000'000'000},
};
constexpr std::array kSizeUnits{
    UnitSize{"B", 1},
    UnitSize{"KiB", 1 << 10},
    UnitSize{"MiB", 1 << 20},
    UnitSize{"GiB", 1 << 30},
};

constexpr std::array kMultipliers{UnitSize{"", 1}, UnitSize{"k", 1'000}, UnitSize{"M", 1'000'000}};

std::string_view word_of(Per per) {
  switch (per) {
    case Per::kSecond: return "s";
    case Per::kMinute: return "min";
    case Per::kHour: return "h";
  }
  return "s";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at_front(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

Parsed<std::int64_t> parse_with_unit(std::string_view text, std::span<const UnitSize> units) {
  const std::size_t digits = digits_at_front(text);
  const Parsed<std::int64_t> number = parse_count(text.substr(0, digits));
  if (!number) return number;
  const std::string_view word = text.substr(digits);
  if (word.empty()) return std::unexpected(QuantityFault::kNoUnit);
  for (const UnitSize& unit : units) {
    if (unit.word != word) continue;
    if (*number > std::numeric_limits<std::int64_t>::max() / unit.size)
      return std::unexpected(QuantityFault::kTooLarge);
    return *number * unit.size;
  }
  return std::unexpected(QuantityFault::kUnknownUnit);
}

// Reads exactly `count` digits and the separator after them; none for a separator of '\0'.
std::optional<int> take_digits(std::string_view& text, std::size_t count, char separator) {
  const std::size_t length = count + (separator == '\0' ? 0 : 1);
  if (text.size() < length || digits_at_front(text.substr(0, count)) != count) return std::nullopt;
  if (separator != '\0' && text[count] != separator) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) value = value * 10 + (c - '0');
  text.remove_prefix(length);
  return value;
}

}  // namespace

Parsed<std::int64_t> parse_count(std::string_view text) {
  if (text.empty() || digits_at_front(text) != text.size())
    return std::unexpected(QuantityFault::kNotANumber);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::unexpected(QuantityFault::kTooLarge);
  return number;
}

std::optional<std::uint32_t> parse_count_within(std::string_view text, std::uint32_t low,
                                                std::uint32_t high) noexcept {
  const Parsed<std::int64_t> number = parse_count(text);
  if (!number || *number < low || *number > high) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

Parsed<Duration> parse_duration(std::string_view text) {
  const Parsed<std::int64_t> number = parse_with_unit(text, kTimeUnits);
  if (!number) return std::unexpected(number.error());
  return Duration(*number);
}

Parsed<Bytes> parse_bytes(std::string_view text) {
  const Parsed<std::int64_t> number = parse_with_unit(text, kSizeUnits);
  if (!number) return std::unexpected(number.error());
  return Bytes{static_cast<std::uint64_t>(*number)};
}

Parsed<Ratio> parse_ratio(std::string_view text) {
  const std::size_t digits = digits_at_front(text);
  if (digits == 0) return std::unexpected(QuantityFault::kNotANumber);
  if (digits > 6) return std::unexpected(QuantityFault::kTooLarge);
  std::uint32_t ppm = 0;
  for (const char c : text.substr(0, digits)) ppm = ppm * 10 + static_cast<std::uint32_t>(c - '0');
  if (ppm > 100'000) return std::unexpected(QuantityFault::kTooLarge);
  text.remove_prefix(digits);
  std::size_t places = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    places = digits_at_front(text);
    if (places == 0 || places > 4) return std::unexpected(QuantityFault::kNotANumber);
    for (const char c : text.substr(0, places))
      ppm = ppm * 10 + static_cast<std::uint32_t>(c - '0');
    text.remove_prefix(places);
  }
  for (; places < 4; ++places) ppm *= 10;
  if (text.empty()) return std::unexpected(QuantityFault::kNoUnit);
  if (text != "%") return std::unexpected(QuantityFault::kUnknownUnit);
  return Ratio{ppm};
}

Parsed<PerTime> parse_per_time(std::string_view text) {
  const std::size_t digits = digits_at_front(text);
  const Parsed<std::int64_t> number = parse_count(text.substr(0, digits));
  if (!number) return std::unexpected(number.error());
  const std::string_view unit = text.substr(digits);
  const std::size_t slash = unit.find('/');
  if (slash == std::string_view::npos)
    return std::unexpected(unit.empty() ? QuantityFault::kNoUnit : QuantityFault::kUnknownUnit);
  for (const UnitSize& multiplier : kMultipliers) {
    if (multiplier.word != unit.substr(0, slash)) continue;
    for (const Per per : {Per::kSecond, Per::kMinute, Per::kHour}) {
      if (word_of(per) != unit.substr(slash + 1)) continue;
      if (*number > static_cast<std::int64_t>(PerTime::kCountMax) / multiplier.size)
        return std::unexpected(QuantityFault::kTooLarge);
      return PerTime{static_cast<std::uint64_t>(*number * multiplier.size), per};
    }
  }
  return std::unexpected(QuantityFault::kUnknownUnit);
}

Parsed<WallTime> parse_wall_time(std::string_view text) {
  constexpr auto kFault = std::unexpected(QuantityFault::kNotANumber);
  const std::optional<int> year = take_digits(text, 4, '-');
  const std::optional<int> month = year ? take_digits(text, 2, '-') : std::nullopt;
  const std::optional<int> day = month ? take_digits(text, 2, 'T') : std::nullopt;
  const std::optional<int> hour = day ? take_digits(text, 2, ':') : std::nullopt;
  const std::optional<int> minute = hour ? take_digits(text, 2, ':') : std::nullopt;
  const std::optional<int> second = minute ? take_digits(text, 2, 'Z') : std::nullopt;
  if (!second || !text.empty()) return kFault;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (*year < 1970 || !date.ok() || *hour > 23 || *minute > 59 || *second > 59) return kFault;
  return WallTime(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(*hour) +
                  std::chrono::minutes(*minute) + std::chrono::seconds(*second));
}

std::string duration_text(Duration duration) {
  const std::int64_t count = duration.count();
  // Minutes and days are left out: 600s and 120s are what people write for time-outs.
  constexpr std::array kShown{kTimeUnits[5], kTimeUnits[3], kTimeUnits[2], kTimeUnits[1]};
  if (count == 0) return "0s";
  for (const UnitSize& unit : kShown)
    if (count % unit.size == 0) return fmt::format("{}{}", count / unit.size, unit.word);
  return fmt::format("{}ns", count);
}

std::string bytes_text(Bytes bytes) {
  const auto count = bytes.value;
  for (std::size_t i = kSizeUnits.size(); i-- > 1;) {
    const auto size = static_cast<std::uint64_t>(kSizeUnits[i].size);
    if (count != 0 && count % size == 0)
      return fmt::format("{}{}", count / size, kSizeUnits[i].word);
  }
  return fmt::format("{}B", count);
}

std::string ratio_text(Ratio ratio) {
  const std::uint32_t whole = ratio.ppm / 10'000;
  std::uint32_t part = ratio.ppm % 10'000;
  if (part == 0) return fmt::format("{}%", whole);
  std::string places = fmt::format("{:04}", part);
  while (places.ends_with('0')) places.pop_back();
  return fmt::format("{}.{}%", whole, places);
}

std::string per_time_text(PerTime rate) {
  for (std::size_t i = kMultipliers.size(); i-- > 1;) {
    const auto size = static_cast<std::uint64_t>(kMultipliers[i].size);
    if (rate.count != 0 && rate.count % size == 0)
      return fmt::format("{}{}/{}", rate.count / size, kMultipliers[i].word, word_of(rate.per));
  }
  return fmt::format("{}/{}", rate.count, word_of(rate.per));
}

std::string wall_time_text(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace penstock
