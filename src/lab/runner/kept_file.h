#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "lab/runner/bench.h"

namespace penstock::lab {

// Writes a file of the evidence and compresses it: `file` becomes `file.gz`.
// errors: kInternal.
[[nodiscard]] Result<void> keep_compressed(const Bench& bench, const std::string& file,
                                           std::string_view text);

}  // namespace penstock::lab
