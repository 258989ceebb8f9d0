#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/describe.h"
#include "base/units.h"

// Rows that tie a YAML key to a struct member. A config struct has its table beside it:
//
//   constexpr auto fields(Describe<RetryConfig>) {
//     using C = RetryConfig;
//     return std::tuple{
//         field("attempts_max", &C::attempts_max, range(1, 10), Reload::kLive, "Tries …."),
//     };
//   }
//
// The same row gives parsing, defaults, ranges, the generated docs and the JSON schema. Beside
// `fields`, found by the same look-up, may stand:
//   later_keys(Describe<T>)  keys that are known and refused as "not in this version"
//   shorthand(Describe<T>)   the key that a bare scalar stands for (`replicas: [ http://… ]`)
//   enum_names(Describe<E>)  the words of an enum, an array of EnumName<E>
//   later_names(Describe<E>) words that are known and refused as "not in this version"
namespace penstock {

// How a changed value takes effect: by a PATCH of the running gateway's config or a reload of its
// file, by a reload of the file alone, or at the next start. Of a section the rows below decide.
enum class Reload : std::uint8_t { kLive, kReload, kRestart };

[[nodiscard]] constexpr std::string_view name(Reload reload) noexcept {
  switch (reload) {
    case Reload::kLive: return "live";
    case Reload::kReload: return "reload";
    case Reload::kRestart: break;
  }
  return "restart";
}

template <class E>
struct EnumName {
  std::string_view word;
  E value;
};

// A share, in parts per million: `10%` is 100'000.
struct Ratio {
  std::uint32_t ppm = 0;
  constexpr auto operator<=>(const Ratio&) const = default;
};

// What a rate counts in.
enum class Per : std::uint8_t { kSecond, kMinute, kHour };

[[nodiscard]] constexpr Duration length_of(Per per) noexcept {
  switch (per) {
    case Per::kSecond: return 1s;
    case Per::kMinute: return 1min;
    case Per::kHour: return 1h;
  }
  return 1s;
}

// So many in a length of time: `100/s`. It keeps the unit it was written in.
struct PerTime {
  std::uint64_t count = 1;  // at most kCountMax
  Per per = Per::kSecond;

  static constexpr std::uint64_t kCountMax = 1'000'000'000'000;

  [[nodiscard]] constexpr std::uint64_t hourly() const noexcept {
    return count * static_cast<std::uint64_t>(Duration(1h) / length_of(per));
  }
  // A number for the rate and its unit that grows with the rate, and back.
  [[nodiscard]] constexpr std::int64_t number() const noexcept {
    return static_cast<std::int64_t>(hourly() * 4 + static_cast<std::uint64_t>(per));
  }
  [[nodiscard]] static constexpr PerTime of_number(std::int64_t number) noexcept {
    const auto word = static_cast<std::uint64_t>(number);
    const Per per = word % 4 == 3 ? Per::kSecond : static_cast<Per>(word % 4);
    return {word / 4 / static_cast<std::uint64_t>(Duration(1h) / length_of(per)), per};
  }
  constexpr bool operator==(const PerTime&) const = default;
};

enum class Presence : std::uint8_t { kOptional, kRequired };

// What kind of number the bounds of a rule count.
enum class Unit : std::uint8_t { kNone, kCount, kNanoseconds, kBytes, kPartsPerMillion, kPerTime };

// Returns what is wrong with a text, or an empty view.
using TextCheck = std::string_view (*)(std::string_view text);

// What a value must fulfil beyond its type.
struct Rule {
  Unit unit = Unit::kNone;
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  TextCheck check = nullptr;       // for texts, and for the names in a table of named things
  std::string_view pattern{};      // the same for editors: a regular expression of the JSON schema
  std::string_view example{};      // a good value, for messages and docs
  std::string_view absent_word{};  // the word for "no value" of an optional, such as `auto`
  Presence presence = Presence::kOptional;
};

[[nodiscard]] constexpr Rule any() { return {}; }

// Inclusive bounds of a whole number, …
[[nodiscard]] constexpr Rule range(std::int64_t low, std::int64_t high) {
  return {.unit = Unit::kCount, .low = low, .high = high};
}
// … of a length of time, …
[[nodiscard]] constexpr Rule range(Duration low, Duration high) {
  return {.unit = Unit::kNanoseconds, .low = low.count(), .high = high.count()};
}
// … of a size, …
[[nodiscard]] constexpr Rule range(Bytes low, Bytes high) {
  return {.unit = Unit::kBytes,
          .low = static_cast<std::int64_t>(low.value),
          .high = static_cast<std::int64_t>(high.value)};
}
// … of a rate; `high` is written per second, and as fast in another unit is not above it, …
[[nodiscard]] constexpr Rule range(PerTime low, PerTime high) {
  return {.unit = Unit::kPerTime, .low = low.number(), .high = high.number() | 3};
}
// … of a share.
[[nodiscard]] constexpr Rule range(Ratio low, Ratio high) {
  return {.unit = Unit::kPartsPerMillion, .low = low.ppm, .high = high.ppm};
}

// A text of a given shape.
[[nodiscard]] constexpr Rule shaped(TextCheck check, std::string_view pattern,
                                    std::string_view example) {
  return {.check = check, .pattern = pattern, .example = example};
}

// The key must be written.
[[nodiscard]] constexpr Rule required(Rule rule) {
  rule.presence = Presence::kRequired;
  return rule;
}

// An optional whose absence has a word of its own: `workers: auto`.
[[nodiscard]] constexpr Rule or_word(std::string_view word, Rule rule) {
  rule.absent_word = word;
  return rule;
}

template <class Owner, class Member>
struct Field {
  std::string_view key;
  Member Owner::* member;
  Rule rule;
  Reload reload;
  std::string_view doc;  // one sentence or two, for people
};

template <class Owner, class Member>
[[nodiscard]] constexpr Field<Owner, Member> field(std::string_view key, Member Owner::* member,
                                                   Rule rule, Reload reload, std::string_view doc) {
  return {key, member, rule, reload, doc};
}

}  // namespace penstock
