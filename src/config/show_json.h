#pragma once

#include <string>

#include "config/load.h"

namespace penstock::config {

// The effective values as JSON: {"file", "values": [{"path", "value", "origin"}]}. Values are as
// they are written in the file, numbers and truth values as such, null for what is not set; secrets
// are their references.
[[nodiscard]] std::string show_json(const LoadResult& loaded);

}  // namespace penstock::config
