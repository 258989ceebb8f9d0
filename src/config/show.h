#pragma once

#include <string>

#include "config/load.h"

namespace penstock::config {

// The effective values as YAML, each with its origin behind it: `# default` or
// `# penstock.yaml:12`, or `# patch` for a live change. Secrets are shown as their references. What
// it prints loads again to the same values.
[[nodiscard]] std::string show(const LoadResult& loaded);

}  // namespace penstock::config
