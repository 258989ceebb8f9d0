#pragma once

#include <memory>

#include "base/label.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/units.h"
#include "config/compile_provider.h"
#include "config/config.h"
#include "gateway/snapshot.h"

namespace penstock::config {

// Turns a loaded config into what requests use: secrets read, names resolved, labels interned.
//
// now:    shown to clients as the models' age.
// before: the snapshot that this one replaces while the process runs; what is shared and counted
//         under the same names is taken over. nullptr: at start.
// credentials: whether providers' keys are taken over from there too or read anew.
// errors: kInvalidRequest for what only reading a secret can tell: a CA that is no certificate.
[[nodiscard]] Result<std::shared_ptr<const gateway::Snapshot>> compile(
    const Config& config, const SecretSource& secrets, LabelNames& labels, WallTime now,
    const gateway::Snapshot* before = nullptr, Credentials credentials = Credentials::kKept);

}  // namespace penstock::config
