#pragma once

#include <string>

#include "base/units.h"

namespace penstock::telemetry {

// Appends a JSON string: RFC 3339 in UTC with milliseconds, rounded down.
void append_timestamp(std::string& out, WallTime when);

}  // namespace penstock::telemetry
