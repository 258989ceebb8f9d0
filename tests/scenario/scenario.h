#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "tests/support/loopback.h"
#include "tests/support/scripted_upstream.h"

// A scenario: what is configured, what the provider does, what clients do, and what is expected of
// it all. Read from the files in cases/; README.md there says how they are written.
namespace penstock::scenario {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Lines = std::vector<std::string>;
using Counts = std::vector<std::pair<std::string, std::size_t>>;

// How a reply ended for its client.
enum class End : std::uint8_t {
  kWhole,       // complete by its framing
  kTerminal,    // a stream that ended with [DONE], and is complete by its framing
  kErrorEvent,  // a stream that ended with its one error event and no [DONE], complete too
  kBroken,      // begun, and visibly cut
  kClosed,      // the connection ended without a reply
  kOpen,        // nothing more came until the scenario's end
};

struct ReplyExpected {
  std::optional<int> status;
  std::optional<std::string> code;  // of the error body, or of the error event
  Pairs headers;                    // the value; "*": any
  Lines absent;                     // headers
  std::optional<std::string> body;  // without its framing
  Lines contains;                   // each within the body, in this order
  Lines lacks;
  std::optional<End> end;
  std::optional<Duration> took;  // from its sending to its last byte, within two ticks
  Pairs log;                     // members of its access-log line, as JSON writes their values
  std::size_t log_lines = 1;
};

enum class Leave : std::uint8_t { kClose, kReset, kHalfClose };

struct ClientCall {
  Duration at{};
  std::string on;     // the name of a connection that earlier calls share
  std::string bytes;  // the whole request
  test::LoopbackOptions to_client;
  std::optional<Duration> read_at;  // reads nothing before
  std::optional<Duration> leave_at;
  std::optional<std::size_t> leave_after;  // so many bytes of the reply
  Leave leave = Leave::kClose;
  ReplyExpected expected;
};

// What the provider was asked, one request.
struct AskedExpected {
  Pairs headers;
  Lines absent;
  std::optional<std::string> target;
  std::optional<std::string> body;
  std::optional<bool> left;  // the gateway ended the connection before the answer's end
};

struct Scenario {
  std::string file;
  std::string name;
  std::string config;    // sections that replace the usual ones
  std::string provider;  // further members of the usual provider
  std::string network;   // a word of cases/README.md, or empty: it listens
  test::LoopbackOptions to_provider;
  test::LoopbackOptions from_provider;
  std::vector<test::Answer> answers;
  std::vector<test::Answer> key_answers;  // of the issuer, fetch by fetch; then it hangs
  bool answer_always = false;             // the last answer is given for ever
  bool control = false;                   // the control thread's work is done too
  std::vector<ClientCall> calls;
  std::optional<Duration> drain_at;       // the signal to leave
  std::optional<Duration> close_idle_at;  // the end of drain.settle
  std::optional<Duration> shut_down_at;   // the end of drain.timeout
  std::optional<Lines> cut;               // what the record of each request cut contains
  Counts told;                            // lines of the operators' log that contain each
  Counts audited;                         // the same of the audit log
  std::optional<std::size_t> audit_lines;

  std::size_t asked_count = 1;  // requests that reached the provider
  std::vector<AskedExpected> asked;
  std::optional<std::size_t> dials;
  std::optional<std::size_t> keys_asked;  // fetches of the issuer's keys
  Lines metrics;                          // lines of the exposition, without the prefix
  std::optional<Duration> unsent_at;      // when to look at what the provider could not send
  std::size_t unsent_min = 0;
};

// All scenarios of all files in a folder, by file name. Files that cannot be read are reported as
// scenarios that fail.
[[nodiscard]] std::vector<Scenario> read_scenarios(const std::string& folder);

}  // namespace penstock::scenario
