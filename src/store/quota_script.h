#pragma once

#include <string>
#include <string_view>

namespace penstock::store {

// The Lua of shared quotas: bodies of redis::Script. What stands in Redis, all of it under the hash
// tag of a tenant and all of it with a time to live:
//
//   epoch     "id empty_at sequence": a random id; since when buckets without a record of their own
//             are taken for empty (0: they are full); a count of calls
//   bucket    "deficit at units length burst": microunits missing from full, when that was so, in
//             µs of Redis' clock, and the limit that it was taken from under; a full bucket has no
//             record
//   ceiling   a hash: gateway → "places version until"
//   take      "epoch deficit": a take that ran, and the microunits that it took of each of its
//             buckets; "void": it was undone, or will never run
//
// All amounts are whole numbers below 2^53, which Lua's numbers hold exactly.

// What gives the script its `now`, in µs: Redis' own clock. Tests put in one of their own.
inline constexpr std::string_view kQuotaNow =
    "local t = redis.call('TIME')\nlocal now = t[1] * 1000000 + t[2]\n";

// Takes from all buckets and ceilings, or from none. KEYS: epoch, buckets, ceilings, and the take
// where it is to have a record; one that is void takes nothing and returns its id alone.
// ARGV: seen id ("0": none), seen sequence, id for a new epoch, its time to live in ms, cost, back,
//       more, number of buckets, number of ceilings, gateway, a place's life in µs, the record's in
//       ms, how long ceilings are tight after a loss in µs; for each bucket units, length in µs,
//       burst; for each ceiling limit, mark, need, want, version, and the most of `need` while
//       tight.
// Returns: id, epoch, sequence, end (0 taken, 1 wait, 2 full), index that refused, wait in µs,
//          more, a bucket (from 1) that was last taken from under another limit (0: none); for each
//          bucket µs until it is full; for each ceiling places, version, others.
[[nodiscard]] std::string take_body(std::string_view now = kQuotaNow);

// Gives back or charges. KEYS: epoch, buckets. ARGV: the epoch's id at the taking, back, charge;
// for each bucket units, length in µs, burst, for one that is full. Returns: id, 1 when it was
// done, 0 when the epoch is another one by now.
[[nodiscard]] std::string settle_body(std::string_view now = kQuotaNow);

// Gives back what a take took, if it ran, and keeps it from running if it has not; once, however
// often it is sent. KEYS: epoch, buckets, take. ARGV: the record's life in ms; for each bucket as
// above. Returns as above, 0 also when there was nothing to be done.
[[nodiscard]] std::string undo_body(std::string_view now = kQuotaNow);

// Changes nothing; returns its id.
[[nodiscard]] std::string probe_body();

}  // namespace penstock::store
