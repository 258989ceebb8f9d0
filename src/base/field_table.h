#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/field.h"
#include "base/field_type.h"
#include "base/named.h"
#include "base/secret_ref.h"
#include "base/units.h"

// Makes the untyped rows of field_type.h from the typed ones of field.h. `type_of<T>()` is the only
// door; it costs compile time, so name it in few places.
namespace penstock {

namespace field_detail {

template <class T, template <class...> class Of>
inline constexpr bool kIs = false;
template <class... A, template <class...> class Of>
inline constexpr bool kIs<Of<A...>, Of> = true;

template <class T>
const T& as(const void* value) {
  return *static_cast<const T*>(value);
}
template <class T>
T& as(void* value) {
  return *static_cast<T*>(value);
}

template <class T>
consteval auto later_keys_of() {
  if constexpr (requires { later_keys(Describe<T>{}); })
    return later_keys(Describe<T>{});
  else
    return std::array<std::string_view, 0>{};
}
template <class E>
consteval auto later_names_of() {
  if constexpr (requires { later_names(Describe<E>{}); })
    return later_names(Describe<E>{});
  else
    return std::array<std::string_view, 0>{};
}
template <class E>
consteval auto words_of() {
  constexpr auto kTyped = enum_names(Describe<E>{});
  std::array<EnumName<std::int64_t>, kTyped.size()> words{};
  for (std::size_t i = 0; i < kTyped.size(); ++i)
    words[i] = {kTyped[i].word, static_cast<std::int64_t>(std::to_underlying(kTyped[i].value))};
  return words;
}

template <class T>
inline constexpr auto kFields = fields(Describe<T>{});
template <class T>
inline constexpr auto kLaterKeys = later_keys_of<T>();
template <class E>
inline constexpr auto kLaterNames = later_names_of<E>();
template <class E>
inline constexpr auto kWords = words_of<E>();

template <class T>
consteval TypeInfo make_type();
template <class T>
inline constexpr TypeInfo kType = make_type<T>();

template <class T>
consteval Unit unit_of() {
  if constexpr (kIs<T, std::optional>)
    return unit_of<typename T::value_type>();
  else if constexpr (std::is_same_v<T, Duration>)
    return Unit::kNanoseconds;
  else if constexpr (std::is_same_v<T, Bytes>)
    return Unit::kBytes;
  else if constexpr (std::is_same_v<T, Ratio>)
    return Unit::kPartsPerMillion;
  else if constexpr (std::is_same_v<T, PerTime>)
    return Unit::kPerTime;
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return Unit::kCount;
  else
    return Unit::kNone;
}

template <class T, std::size_t I>
consteval Row make_row() {
  constexpr auto kTyped = std::get<I>(kFields<T>);
  using Member = std::remove_cvref_t<decltype(std::declval<T>().*(kTyped.member))>;
  static_assert(kTyped.rule.unit == unit_of<Member>(), "the bounds are of another unit");
  return {.key = kTyped.key,
          .rule = kTyped.rule,
          .reload = kTyped.reload,
          .doc = kTyped.doc,
          .type = &kType<Member>,
          .get = [](const void* owner) -> const void* {
            return &(as<T>(owner).*(std::get<I>(kFields<T>).member));
          },
          .edit = [](void* owner) -> void* {
            return &(as<T>(owner).*(std::get<I>(kFields<T>).member));
          }};
}

template <class T>
inline constexpr auto kRows = []<std::size_t... I>(std::index_sequence<I...>) consteval {
  return std::array<Row, sizeof...(I)>{make_row<T, I>()...};
}(std::make_index_sequence<std::tuple_size_v<decltype(fields(Describe<T>{}))>>{});

template <class T>
consteval TypeInfo make_number(Kind kind) {
  TypeInfo info;
  info.kind = kind;
  if constexpr (std::is_same_v<T, Duration>) {
    info.number = [](const void* v) -> std::int64_t { return as<T>(v).count(); };
    info.assign = [](void* v, std::int64_t n) { as<T>(v) = T(n); };
  } else if constexpr (std::is_same_v<T, WallTime>) {
    info.number = [](const void* v) -> std::int64_t { return as<T>(v).time_since_epoch().count(); };
    info.assign = [](void* v, std::int64_t n) { as<T>(v) = T(typename T::duration(n)); };
  } else if constexpr (std::is_same_v<T, Bytes>) {
    info.number = [](const void* v) { return static_cast<std::int64_t>(as<T>(v).value); };
    info.assign = [](void* v, std::int64_t n) { as<T>(v).value = static_cast<std::uint64_t>(n); };
  } else if constexpr (std::is_same_v<T, Ratio>) {
    info.number = [](const void* v) { return static_cast<std::int64_t>(as<T>(v).ppm); };
    info.assign = [](void* v, std::int64_t n) { as<T>(v).ppm = static_cast<std::uint32_t>(n); };
    info.number_max = std::numeric_limits<std::uint32_t>::max();
  } else if constexpr (std::is_same_v<T, PerTime>) {
    info.number = [](const void* v) { return as<T>(v).number(); };
    info.assign = [](void* v, std::int64_t n) { as<T>(v) = T::of_number(n); };
  } else {
    info.number = [](const void* v) { return static_cast<std::int64_t>(as<T>(v)); };
    info.assign = [](void* v, std::int64_t n) { as<T>(v) = static_cast<T>(n); };
    if constexpr (sizeof(T) < sizeof(std::int64_t) && std::is_integral_v<T>)
      info.number_max = static_cast<std::int64_t>(std::numeric_limits<T>::max());
  }
  return info;
}

template <class T>
consteval TypeInfo make_container() {
  TypeInfo info;
  if constexpr (kIs<T, std::optional>) {
    using V = typename T::value_type;
    info = {.kind = Kind::kOptional, .element = &kType<V>};
    info.size = [](const void* v) -> std::size_t { return as<T>(v) ? 1 : 0; };
    info.at = [](const void* v, std::size_t) -> const void* { return &*as<T>(v); };
    info.add = [](void* v, std::string_view) -> void* { return &as<T>(v).emplace(); };
    info.clear = [](void* v) { as<T>(v).reset(); };
  } else if constexpr (kIs<T, std::vector>) {
    info = {.kind = Kind::kList, .element = &kType<typename T::value_type>};
    info.size = [](const void* v) { return as<T>(v).size(); };
    info.at = [](const void* v, std::size_t i) -> const void* { return &as<T>(v)[i]; };
    info.add = [](void* v, std::string_view) -> void* { return &as<T>(v).emplace_back(); };
    info.clear = [](void* v) { as<T>(v).clear(); };
  } else {
    using V = std::remove_cvref_t<decltype(std::declval<T>().begin()->value)>;
    info = {.kind = Kind::kNamed, .element = &kType<V>};
    info.size = [](const void* v) { return as<T>(v).size(); };
    info.at = [](const void* v, std::size_t i) -> const void* {
      return &(as<T>(v).begin() + static_cast<std::ptrdiff_t>(i))->value;
    };
    info.name_at = [](const void* v, std::size_t i) -> std::string_view {
      return (as<T>(v).begin() + static_cast<std::ptrdiff_t>(i))->name;
    };
    info.add = [](void* v, std::string_view name) -> void* {
      return &as<T>(v).add(std::string(name));
    };
  }
  return info;
}

template <class T>
consteval TypeInfo make_text() {
  TypeInfo info;
  if constexpr (std::is_same_v<T, SecretRef>) {
    info.kind = Kind::kSecret;
    info.text = [](const void* v) -> const std::string& { return as<T>(v).text; };
    info.assign_text = [](void* v, std::string_view text, std::string_view folder) {
      as<T>(v) = SecretRef{std::string(text), std::string(folder)};
    };
  } else {
    info.kind = Kind::kText;
    info.text = [](const void* v) -> const std::string& { return as<T>(v); };
    info.assign_text = [](void* v, std::string_view text, std::string_view) { as<T>(v) = text; };
  }
  return info;
}

template <class T>
consteval TypeInfo make_struct() {
  TypeInfo info;
  info.rows = kRows<T>;
  info.later_keys = kLaterKeys<T>;
  if constexpr (requires { shorthand(Describe<T>{}); }) info.shorthand = shorthand(Describe<T>{});
  info.defaults = []() -> const void* {
    static const T value{};
    return &value;
  };
  return info;
}

template <class T>
consteval TypeInfo make_type() {
  if constexpr (std::is_same_v<T, bool>)
    return make_number<T>(Kind::kBool);
  else if constexpr (std::is_integral_v<T>)
    return make_number<T>(Kind::kCount);
  else if constexpr (std::is_same_v<T, Duration>)
    return make_number<T>(Kind::kDuration);
  else if constexpr (std::is_same_v<T, Bytes>)
    return make_number<T>(Kind::kBytes);
  else if constexpr (std::is_same_v<T, Ratio>)
    return make_number<T>(Kind::kRatio);
  else if constexpr (std::is_same_v<T, PerTime>)
    return make_number<T>(Kind::kPerTime);
  else if constexpr (std::is_same_v<T, WallTime>)
    return make_number<T>(Kind::kTime);
  else if constexpr (std::is_same_v<T, std::string>)
    return make_text<T>();
  else if constexpr (std::is_same_v<T, SecretRef>)
    return make_text<T>();
  else if constexpr (std::is_enum_v<T>) {
    TypeInfo info = make_number<T>(Kind::kEnum);
    info.words = kWords<T>;
    info.later_words = kLaterNames<T>;
    return info;
  } else if constexpr (kIs<T, std::optional> || kIs<T, std::vector> || kIs<T, Named>) {
    return make_container<T>();
  } else {
    return make_struct<T>();
  }
}

}  // namespace field_detail

// The description of a type that fields may have; lives as long as the program.
template <class T>
[[nodiscard]] constexpr const TypeInfo& type_of() {
  return field_detail::kType<T>;
}

}  // namespace penstock
