#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace penstock::lab {

// How a request of the load generator ended.
enum class LoadEnd : std::uint8_t {
  kOk,
  kAborted,      // we left, as --abort-after says
  kConnect,      // no connection
  kTimeout,      // --timeout
  kReset,        // the connection ended before the reply did
  kMalformed,    // no HTTP, or no event stream where one was asked for
  kStatus,       // a status that is not 2xx
  kErrorEvent,   // an error within a stream
  kInterrupted,  // a stream that ended with neither a finish nor [DONE]
  kUnfinished,   // still under way at the end of the run
  kNotSent,      // more were under way than the generator can hold
};
inline constexpr std::size_t kLoadEndCount = 11;

// The word in records and reports.
[[nodiscard]] std::string_view name(LoadEnd end) noexcept;

// One request. Times count from its intended start, so that a generator or a target that is late
// does not hide what a client would have waited.
struct LoadRecord {
  LoadEnd end = LoadEnd::kUnfinished;
  Duration start{};              // intended, since the run's start
  Duration late{};               // how much later it was begun: the generator's own fault
  std::optional<Duration> ttft;  // first content of a stream, first body byte of another reply
  Duration total{};
  int status = 0;             // 0: no reply
  std::uint32_t attempt = 1;  // above 1: a retry of ours
  std::uint64_t bytes = 0;    // of the body
  std::uint64_t chunks = 0;   // events with data; of another reply: reads
  std::string code;           // of an error, as the reply tells it
  std::string request_id;

  [[nodiscard]] bool failed() const noexcept {
    return end != LoadEnd::kOk && end != LoadEnd::kAborted;
  }
};

// The record as a JSON line, its line end included.
[[nodiscard]] std::string json_line(const LoadRecord& record);

}  // namespace penstock::lab
