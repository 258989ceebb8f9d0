#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/provider.h"
#include "gateway/snapshot.h"

namespace penstock::admin {

// The replica that an order's body names: {"replica": URL}.
// errors: kInvalidJson; kInvalidRequest when it says anything else.
[[nodiscard]] Result<std::string> read_order(std::string_view body);

// errors: kNotFound, naming the nearest provider.
[[nodiscard]] Result<const fleet::Provider*> find_provider(const gateway::Snapshot& snapshot,
                                                           std::string_view name);

// The index of the replica with that URL, or, where only one has it, that host:port.
// errors: kNotFound, naming the nearest replica.
[[nodiscard]] Result<std::size_t> find_replica(const fleet::Provider& provider,
                                               std::string_view url);

}  // namespace penstock::admin
