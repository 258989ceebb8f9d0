#pragma once

#include "base/field_type.h"

namespace penstock::config {

// The field tables of the whole config, from its root.
[[nodiscard]] const TypeInfo& config_type();

}  // namespace penstock::config
