#pragma once

#include <span>
#include <string_view>

#include "admin/routes.h"
#include "telemetry/audit_log.h"

namespace penstock::admin {

// What a change made through the admin plane was about; all borrowed.
struct Change {
  std::string_view action;
  std::string_view provider{};
  std::string_view replica{};
  std::span<const telemetry::AuditChange> values{};
};

// Writes the change's line to the audit log.
void audit(const Call& call, const Change& change);

}  // namespace penstock::admin
