#pragma once

#include <string>
#include <string_view>

namespace penstock::store {

// The Lua of shared quotas: bodies of redis::Script. What stands in Redis, all of it under the hash
// tag of a tenant and all of it with a time to live:
//
//   epoch     "id empty_at sequence": a random id; since when buckets without a record of their own
//             are taken for empty (0: they are full); a count of calls
//   bucket    "deficit at": microunits missing from full, and when that was so, in µs of Redis'
//             clock; a full bucket has no record
//   ceiling   a hash: gateway → "places version until"
//
// All amounts are whole numbers below 2^53, which Lua's numbers hold exactly.

// What gives the script its `now`, in µs: Redis' own clock. Tests put in one of their own.
inline constexpr std::string_view kQuotaNow =
    "local t = redis.call('TIME')\nlocal now = t[1] * 1000000 + t[2]\n";

// Takes from all buckets and ceilings, or from none. KEYS: epoch, buckets, ceilings.
// ARGV: seen id ("0": none), seen sequence, id for a new epoch, its time to live in ms, cost, back,
//       more, number of buckets, number of ceilings, gateway, a place's life in µs; for each bucket
//       units, length in µs, burst; for each ceiling limit, mark, need, want, version.
// Returns: id, epoch, sequence, end (0 taken, 1 wait, 2 full), index that refused, wait in µs,
//          more; for each bucket µs until it is full; for each ceiling places, version, others.
[[nodiscard]] std::string take_body(std::string_view now = kQuotaNow);

// Gives back or charges. KEYS: epoch, buckets. ARGV: the epoch's id at the taking, back, charge;
// for each bucket units, length in µs, burst. Returns: id, 1 when it was done, 0 when the epoch is
// another one by now.
[[nodiscard]] std::string settle_body(std::string_view now = kQuotaNow);

// Changes nothing; returns its id.
[[nodiscard]] std::string probe_body();

}  // namespace penstock::store
