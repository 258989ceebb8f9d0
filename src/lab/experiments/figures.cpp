#include "lab/experiments/figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include "lab/runner/call_record.h"
#include "lab/runner/statistics.h"

namespace penstock::lab {

std::size_t count_if(const Calls& calls, const CallFilter& wanted) {
  return static_cast<std::size_t>(std::ranges::count_if(calls, wanted));
}

double percentile_of(const Calls& calls, std::uint32_t per_mille, const CallFilter& wanted,
                     const std::function<double(const CallRecord&)>& value) {
  std::vector<double> values;
  for (const CallRecord& call : calls)
    if (wanted(call)) values.push_back(value(call));
  return percentile(std::move(values), per_mille);
}

double total_percentile(const Calls& calls, std::uint32_t per_mille) {
  return percentile_of(calls, per_mille, &CallRecord::ok, &CallRecord::total_ms);
}

std::size_t errors_in(const Calls& calls) {
  return count_if(calls,
                  [](const CallRecord& call) { return !call.ok() && call.end != "aborted"; });
}

Calls started_within(const Calls& calls, std::int64_t from, std::int64_t to) {
  Calls out;
  std::ranges::copy_if(calls, std::back_inserter(out), [from, to](const CallRecord& call) {
    return call.start >= from && call.start < to;
  });
  return out;
}

double deviation_percent(double value, double reference) {
  return reference == 0 ? 100 : 100 * std::abs(value / reference - 1);
}

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace penstock::lab
