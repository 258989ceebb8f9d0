#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/outcome.h"
#include "base/units.h"

namespace penstock::telemetry {

// What is told about one request, and nothing of what it said. Empty names are written as null.
struct AccessRecord {
  WallTime ts{};                  // when the request's head was complete
  std::string_view call_id{};     // ours, unique
  std::string_view request_id{};  // the client's, or minted
  std::string_view tenant{};
  std::string_view workload{};
  std::string_view key_id{};
  std::string_view surface{};
  std::string_view model{};     // the public name asked for; client's words: escaped, cut at 256 B
  std::string_view provider{};  // of the last attempt
  std::string_view replica{};
  std::uint32_t attempts = 0;
  std::uint16_t status = 0;  // as sent to the client; 0: none was
  std::optional<ErrorCode> code{};
  Outcome outcome = Outcome::kOk;
  std::optional<Duration> ttft{};
  Duration duration{};
  Duration overhead{};
  Duration queue{};
  std::optional<Tokens> tokens_in{};
  std::optional<Tokens> tokens_out{};
  std::optional<NanoUsd> cost{};
  std::string_view stop{};  // how the last attempt ended: complete, aborted, error, refused
  bool stream = false;
};

// Appends one JSON object, no line end. Whatever bytes a member holds, it is one line of JSON.
// cost: below 1 µs, no allocation once `out` has room.
void append_line(std::string& out, const AccessRecord& record);

}  // namespace penstock::telemetry
