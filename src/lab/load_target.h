#pragma once

#include <string>

#include "base/address.h"
#include "base/result.h"
#include "lab/load.h"

namespace penstock::lab {

// Where the load goes and what every request is.
struct LoadTarget {
  BaseUrl url;          // with the whole path
  std::string request;  // all its bytes
};

// errors: kInvalidRequest, saying which option cannot be used.
[[nodiscard]] Result<LoadTarget> load_target(const LoadOptions& options);

}  // namespace penstock::lab
