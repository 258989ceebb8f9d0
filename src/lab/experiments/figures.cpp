#include "lab/experiments/figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>
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

std::size_t retries_in(const Calls& calls) {
  std::size_t retries = 0;
  for (const CallRecord& call : calls) retries += std::max<std::size_t>(call.attempts, 1) - 1;
  return retries;
}

double retries_over_budget(const Calls& calls, double budget) {
  constexpr std::int64_t kWindow = 10'000'000;  // microseconds
  constexpr double kFloor = 3;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> retries;
  for (const CallRecord& call : calls) {
    if (call.attempts > 0) starts.push_back(call.start);
    if (call.attempts > 1) retries.insert(retries.end(), call.attempts - 1, call.ended());
  }
  std::ranges::sort(starts);
  std::ranges::sort(retries);
  const auto within = [](const std::vector<std::int64_t>& times, std::int64_t end) {
    const auto first = std::ranges::upper_bound(times, end - kWindow);
    return static_cast<double>(std::ranges::upper_bound(times, end) - first);
  };
  if (retries.empty()) return -kFloor;
  double worst = std::numeric_limits<double>::lowest();
  for (const std::int64_t at : retries)
    worst = std::max(worst, within(retries, at) - std::max(kFloor, budget * within(starts, at)));
  return worst;
}

double amplification(const Calls& calls) {
  std::size_t attempts = 0;
  for (const CallRecord& call : calls) attempts += call.attempts;
  return calls.empty() ? 0 : static_cast<double>(attempts) / static_cast<double>(calls.size());
}

double increase_percent(double value, double reference) {
  return reference == 0 ? 100 : 100 * (value / reference - 1);
}

double deviation_percent(double value, double reference) {
  return reference == 0 ? 100 : 100 * std::abs(value / reference - 1);
}

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace penstock::lab
