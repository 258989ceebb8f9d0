#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "lab/runner/call_record.h"

// Numbers that several experiments take from their records.
namespace penstock::lab {

using CallFilter = std::function<bool(const CallRecord&)>;

[[nodiscard]] std::size_t count_if(const Calls& calls, const CallFilter& wanted);
// Of what `value` yields for the calls wanted.
[[nodiscard]] double percentile_of(const Calls& calls, std::uint32_t per_mille,
                                   const CallFilter& wanted,
                                   const std::function<double(const CallRecord&)>& value);
// Of the whole time of those that went well, in milliseconds.
[[nodiscard]] double total_percentile(const Calls& calls, std::uint32_t per_mille);
[[nodiscard]] std::size_t errors_in(const Calls& calls);
// Those whose intended start lies in [from, to), microseconds on the monotonic clock.
[[nodiscard]] Calls started_within(const Calls& calls, std::int64_t from, std::int64_t to);
// How far `value` is from `reference`, in per cent of it; never negative.
[[nodiscard]] double deviation_percent(double value, double reference);
// In per cent; 0 of nothing.
[[nodiscard]] double percent(std::size_t part, std::size_t whole);

}  // namespace penstock::lab
