#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace penstock::lab {

// Which chunks of a stream tell the usage.
enum class UsageFault : std::uint8_t {
  kAsAsked,   // no fault: a chunk of its own when the request asks for it
  kNone,      // never, not even in a unary reply
  kLast,      // within the chunk that has the finish
  kSeparate,  // in a chunk of its own, asked for or not
  kEvery,     // in every chunk, counting up
};

// How the mock provider misbehaves: one member per name in docs/reference/mock-faults.md. None set:
// not. Chunks and events count from the start of the reply, the role's chunk included; the first
// event is number 0.
struct Fault {
  Duration latency{};      // before the reply's head
  Duration first_token{};  // between the head and the first token
  Duration inter_token{};  // between tokens; a unary reply waits for all of them together
  std::optional<std::uint32_t> status = {};
  std::optional<std::string> body = {};  // of every reply, as it is; status 200 unless given
  std::optional<std::uint32_t> error_millionths = {};   // how many requests of a million fail
  std::uint64_t refuse = 0;                             // so many new connections are reset
  std::optional<std::uint64_t> reset_after_bytes = {};  // of the reply, its head included
  bool hang = false;
  std::optional<std::uint64_t> cut_after_chunks = {};
  std::optional<std::uint64_t> stall_after_chunks = {};
  std::optional<std::uint64_t> malformed_event_at = {};  // an event more, which is no JSON
  bool missing_done = false;
  bool missing_finish = false;
  UsageFault usage = UsageFault::kAsAsked;
  bool crlf = false;
  bool comments = false;
  bool one_byte_packets = false;
  std::optional<std::uint64_t> error_event_at = {};
  bool healthy_but_failing = false;
  bool multi_line_data = false;
  std::optional<std::uint64_t> slots = {};   // completions served at once; others wait
  std::optional<std::uint32_t> tokens = {};  // of a reply whose request sets no limit

  // Whether the request with this number, from 0, is one that fails. Always the same ones.
  [[nodiscard]] bool fails(std::uint64_t request) const noexcept;
};

// Reads an object of fault names and values.
// errors: kInvalidJson; kInvalidRequest for an unknown name (with the nearest one as hint) or a
// value that the name does not take.
[[nodiscard]] Result<Fault> parse_fault(std::string_view json);

}  // namespace penstock::lab
