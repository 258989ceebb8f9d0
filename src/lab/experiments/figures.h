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
// Attempts of the gateway beyond the first of each request.
[[nodiscard]] std::size_t retries_in(const Calls& calls);
// The largest excess of retries over what the budget allows: max(3, budget × requests) in any 10 s.
// A retry counts at its request's end, which is one attempt later than it began. At most 0 when the
// budget was kept.
[[nodiscard]] double retries_over_budget(const Calls& calls, double budget);
// Upstream attempts divided by requests.
[[nodiscard]] double amplification(const Calls& calls);
// How much `value` is above `reference`, in per cent of it; negative when it is below.
[[nodiscard]] double increase_percent(double value, double reference);
// How far `value` is from `reference`, in per cent of it; never negative.
[[nodiscard]] double deviation_percent(double value, double reference);
// In per cent; 0 of nothing.
[[nodiscard]] double percent(std::size_t part, std::size_t whole);

}  // namespace penstock::lab
