#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock::lab {

// One request as the client saw it, joined with the gateway's access log by its request id. Times
// in microseconds, `start` on the machine's monotonic clock.
struct CallRecord {
  std::int64_t start = 0;  // when it was meant to begin
  std::int64_t late = 0;   // how much later the generator began it
  std::optional<std::int64_t> ttft = {};
  std::int64_t total = 0;
  std::uint64_t attempt = 1;  // of the client; above 1: a retry
  int status = 0;
  std::string end = "ok";  // how it ended, in the load generator's words
  std::string code;
  std::string request_id;
  // From the access log; empty and 0 when no gateway logged it.
  std::uint64_t log_lines = 0;  // with its request id; anything but one is a muddle
  std::string provider;
  std::string replica;         // the name of the mock, once named
  std::uint64_t attempts = 0;  // of the gateway
  std::int64_t queued = 0;     // waiting for a connection
  std::int64_t overhead = 0;
  std::int64_t duration = 0;  // as the gateway saw it

  [[nodiscard]] bool ok() const noexcept { return end == "ok"; }
  [[nodiscard]] double total_ms() const noexcept { return static_cast<double>(total) / 1e3; }
  [[nodiscard]] std::int64_t ended() const noexcept { return start + total; }
  // What the provider took: the gateway's time without its own and without waiting.
  [[nodiscard]] double upstream_ms() const noexcept {
    return static_cast<double>(duration - queued - overhead) / 1e3;
  }
};
using Calls = std::vector<CallRecord>;

// Reads the lines of `penstock load --records`. started: what the load's report says.
// errors: kInvalidJson for a line that is none.
[[nodiscard]] Result<Calls> read_calls(std::string_view lines, std::int64_t started);

// Adds what the lines of an access log know about the calls. Lines of other requests are skipped.
// names: what to call a replica that the log names host:port; optional.
// errors: kInvalidJson.
[[nodiscard]] Result<void> join_access_log(Calls& calls, std::string_view lines,
                                           const std::map<std::string, std::string>& names);

// The calls as CSV with a line of names, oldest first, times since `zero`. When there are more than
// rows_max, every k-th is kept, and every one that is not "ok" unless those are many.
struct CsvTable {
  std::string text;
  std::size_t every = 1;  // k
};
[[nodiscard]] CsvTable csv_table(const Calls& calls, std::int64_t zero, std::size_t rows_max);

}  // namespace penstock::lab
