#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/describe.h"  // IWYU pragma: export
#include "base/metric.h"

namespace penstock {

template <std::size_t N>
struct LabelKeys {
  std::array<std::string_view, N> names;
};

// The label names of a family, in the order of its member's label types.
template <class... Names>
[[nodiscard]] constexpr LabelKeys<sizeof...(Names)> labels(Names... names) {
  return {{std::string_view(names)...}};
}

// One row of a metric table. Rows of T come from `constexpr auto metrics(Describe<T>)`.
template <class T, class Family>
struct MetricRow {
  std::string_view name;
  Family T::* member;
  LabelKeys<Family::kLabelCount> labels;
  std::string_view help;
};

// name:    with prefix `penstock_` and base unit, `_total` on counters.
// labels:  as many as the member's type has, or it does not compile.
// help:    one sentence for operators.
template <class T, class Family>
[[nodiscard]] constexpr MetricRow<T, Family> metric(std::string_view name, Family T::* member,
                                                    LabelKeys<Family::kLabelCount> labels,
                                                    std::string_view help) {
  return {name, member, labels, help};
}

}  // namespace penstock
