#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "base/units.h"
#include "lab/latency_histogram.h"
#include "lab/load_record.h"

namespace penstock::lab {

// What the requests of a run, or of one of its threads, add up to.
struct LoadTotals {
  static constexpr std::size_t kCodesMax = 100;  // more are counted as "other"

  LatencyHistogram ttft;   // of requests that went well, and of those we left
  LatencyHistogram total;  // of requests that went well
  LatencyHistogram late;   // of all
  std::array<std::uint64_t, kLoadEndCount> ends{};
  std::map<int, std::uint64_t> statuses;
  std::map<std::string, std::uint64_t> codes;
  std::uint64_t bytes = 0;
  std::uint64_t chunks = 0;

  void add(const LoadRecord& record);
  void add(const LoadTotals& other);

  [[nodiscard]] std::uint64_t of(LoadEnd end) const noexcept {
    return ends[static_cast<std::size_t>(end)];
  }
  [[nodiscard]] std::uint64_t all() const noexcept;
  [[nodiscard]] std::uint64_t failed() const noexcept {
    return all() - of(LoadEnd::kOk) - of(LoadEnd::kAborted);
  }
};

// What a report says besides the totals.
struct LoadRates {
  double offered = 0;   // requests a second that were to be begun
  Duration time{};      // from the start of the measuring to the end of the last request
  TimePoint started{};  // from which records count; the monotonic clock is the whole machine's
};

// The table for people.
[[nodiscard]] std::string report_table(const LoadTotals& totals, const LoadRates& rates);
// One JSON object, its line end included.
[[nodiscard]] std::string report_json(const LoadTotals& totals, const LoadRates& rates);

}  // namespace penstock::lab
