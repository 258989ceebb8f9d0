#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error_code.h"
#include "base/label.h"

namespace penstock {

// What may be a label: a configured name, a closed enum with a name() found through its namespace
// (or ErrorCode, whose names stand in its table), or an optional closed enum ("none" when empty).
// Free text can never be one.
template <class L>
struct LabelTraits;

template <>
struct LabelTraits<Label> {
  static constexpr std::uint16_t pack(Label label) noexcept { return label.index; }
  static std::string_view text(std::uint16_t packed, const LabelNames& names) noexcept {
    return names.text(Label{packed});
  }
  static constexpr std::uint16_t overflow(std::uint16_t) noexcept { return kOtherLabel.index; }
};

template <>
struct LabelTraits<ErrorCode> {
  static constexpr std::uint16_t pack(ErrorCode code) noexcept { return std::to_underlying(code); }
  static std::string_view text(std::uint16_t packed, const LabelNames&) noexcept {
    return info(static_cast<ErrorCode>(packed)).name;
  }
  static constexpr std::uint16_t overflow(std::uint16_t packed) noexcept { return packed; }
};

template <class E>
  requires std::is_enum_v<E> && requires(E value) {
    { name(value) } -> std::convertible_to<std::string_view>;
  }
struct LabelTraits<E> {
  static constexpr std::uint16_t pack(E value) noexcept {
    return static_cast<std::uint16_t>(std::to_underlying(value));
  }
  static std::string_view text(std::uint16_t packed, const LabelNames&) noexcept {
    return name(static_cast<E>(packed));
  }
  static constexpr std::uint16_t overflow(std::uint16_t packed) noexcept { return packed; }
};

template <class E>
  requires std::is_enum_v<E>
struct LabelTraits<std::optional<E>> {
  static constexpr std::uint16_t kNone = 0xFFFF;
  static constexpr std::uint16_t pack(std::optional<E> value) noexcept {
    return value ? LabelTraits<E>::pack(*value) : kNone;
  }
  static std::string_view text(std::uint16_t packed, const LabelNames& names) noexcept {
    return packed == kNone ? std::string_view("none") : LabelTraits<E>::text(packed, names);
  }
  static constexpr std::uint16_t overflow(std::uint16_t packed) noexcept { return packed; }
};

inline constexpr std::size_t kMetricLabelsMax = 8;

// The labels of one series in 16 bits each: what the tables of series are keyed by.
struct LabelTuple {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  constexpr auto operator<=>(const LabelTuple&) const = default;

  [[nodiscard]] constexpr std::uint16_t part(std::size_t at) const noexcept {
    return static_cast<std::uint16_t>((at < 4 ? low : high) >> (16 * (at % 4)));
  }
  constexpr void set(std::size_t at, std::uint16_t bits) noexcept {
    (at < 4 ? low : high) |= std::uint64_t{bits} << (16 * (at % 4));
  }
  // Spreads the labels over 64 bits; the high ones are the best mixed.
  [[nodiscard]] constexpr std::uint64_t hash() const noexcept {
    const std::uint64_t folded = low ^ (high * 0x9E3779B97F4A7C15U);
    return (folded ^ (folded >> 32)) * 0xD6E8FEB86659FD93U;  // odd constants: multiply is 1:1
  }
};

template <class... Labels>
[[nodiscard]] constexpr LabelTuple pack_labels(Labels... labels) noexcept {
  static_assert(sizeof...(Labels) <= kMetricLabelsMax);
  LabelTuple tuple;
  std::size_t at = 0;
  (tuple.set(at++, LabelTraits<Labels>::pack(labels)), ...);
  return tuple;
}

// The series that takes the overflow: configured names become "other", closed values stay.
template <class... Labels>
[[nodiscard]] constexpr LabelTuple overflow_labels(LabelTuple from) noexcept {
  LabelTuple tuple;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (tuple.set(I, LabelTraits<Labels>::overflow(from.part(I))), ...);
  }(std::index_sequence_for<Labels...>{});
  return tuple;
}

using LabelTexts = std::array<std::string_view, kMetricLabelsMax>;

// The label values as they are shown; only the first sizeof...(Labels) are set.
template <class... Labels>
[[nodiscard]] LabelTexts label_texts([[maybe_unused]] LabelTuple tuple,
                                     [[maybe_unused]] const LabelNames& names) noexcept {
  LabelTexts texts;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((texts[I] = LabelTraits<Labels>::text(tuple.part(I), names)), ...);
  }(std::index_sequence_for<Labels...>{});
  return texts;
}

}  // namespace penstock
