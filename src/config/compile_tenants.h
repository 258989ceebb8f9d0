#pragma once

#include "base/label.h"
#include "base/result.h"
#include "config/config.h"
#include "gateway/snapshot.h"

namespace penstock::config {

// The part of compile() about callers: fills the snapshot's `keys`, where keys are asked for, and
// `tenants`.
//
// before: whose limits' state is taken over by name, with the new ceilings; null: none.
// errors: kInvalidRequest for a key whose hash is none, or is used twice.
[[nodiscard]] Result<void> compile_tenants(const Config& config, LabelNames& labels,
                                           const gateway::Snapshot* before,
                                           gateway::Snapshot& snapshot);

}  // namespace penstock::config
