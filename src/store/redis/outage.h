#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::store::redis {

// Why there is no reply. Whoever asked decides locally and does not ask again.
enum class OutageReason : std::uint8_t {
  kOpen,         // the breaker is open: nothing was sent, no time was spent
  kAway,         // refused, unresolved, reset, closed with the command in flight
  kTimedOut,     // no reply within the store's time-out; its connection is closed
  kDeadline,     // the caller's own time came first; says nothing about the store
  kFull,         // too many commands are waiting already
  kRefused,      // password, ACL or certificate: the store will not have us, or we not it
  kLoading,      // it reads its data
  kReadOnly,     // a replica, or one that lost its primary
  kNoMemory,     // maxmemory is reached
  kBusy,         // a script of somebody else runs too long
  kClusterDown,  // slots without an owner, or nodes that point at one another
  kMalformed,    // not a reply, or none of the agreed shape
  kMismatched,   // a reply to another call: its connection is closed
  kScript,       // the script itself failed: a fault of ours, not of the store
  kClosing,      // the client is being closed
};
inline constexpr int kOutageReasons = static_cast<int>(OutageReason::kClosing) + 1;

// The word for metrics and logs.
[[nodiscard]] std::string_view name(OutageReason reason) noexcept;

enum class Effect : std::uint8_t {
  kNone,     // the script did not run and will not
  kUnknown,  // it was sent: it may have run, or may yet
};

struct Outage {
  OutageReason reason = OutageReason::kAway;
  Effect effect = Effect::kNone;
};

}  // namespace penstock::store::redis
