#pragma once

#include <memory>
#include <string>

#include "identity/key_set.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Where a key set is fetched from.
struct KeySource {
  net::Origin origin;
  std::string authority;  // for the Host header
  std::string target;     // path and query
};

struct FetchedKeys {
  std::shared_ptr<const identity::KeySet> set;  // null: it failed
  std::string why;                              // it failed, for operators
};

// Fetches a key set once, on a connection of its own: a GET that must be answered with 200 and a
// JWK set of at most identity::KeySet::kBytesMax. A redirect is not followed: the keys come from
// where the configuration says, or not at all.
//
// context: the whole fetch ends at its deadline.
[[nodiscard]] runtime::Task<FetchedKeys> fetch_keys(runtime::EventLoop& loop, net::Dialer& dialer,
                                                    const KeySource& source,
                                                    runtime::CallContext context);

}  // namespace penstock::gateway
