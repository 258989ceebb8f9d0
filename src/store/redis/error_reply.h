#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/redis/outage.h"
#include "store/redis/slot.h"

namespace penstock::store::redis {

enum class ErrorKind : std::uint8_t {
  kNoScript,  // the store does not know the script: send its text
  kMoved,     // the slot lives elsewhere from now on
  kAsk,       // this once, ask there
  kOutage,    // see the reason
};

// Whether an error says that the node is not well, or only that this call failed.
enum class Blame : std::uint8_t { kNode, kCall };

struct Place {
  std::string host;  // empty: the host that said so
  std::uint16_t port = 0;
};

// What an error reply means to us.
struct ErrorReply {
  ErrorKind kind = ErrorKind::kOutage;
  OutageReason reason = OutageReason::kScript;  // of kOutage
  Blame blame = Blame::kCall;                   // of kOutage
  Slot slot = 0;                                // of kMoved and kAsk
  Place place;                                  // of kMoved and kAsk
};

// Judges the text of an error reply by its first word. A redirect that cannot be read is
// kMalformed.
// source: redis.io, "Redis cluster specification"; Redis 7.0, shared errors in src/server.c.
[[nodiscard]] ErrorReply judge_error(std::string_view text);

}  // namespace penstock::store::redis
