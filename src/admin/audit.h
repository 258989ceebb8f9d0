#pragma once

#include <cstddef>
#include <string_view>

#include "admin/plane.h"
#include "admin/routes.h"
#include "admin/running_config.h"

namespace penstock::admin {

// What a change made through the admin plane was about; all borrowed.
struct Change {
  std::string_view action;
  std::string_view provider{};
  std::string_view replica{};
};

// Writes the change's line to the audit log.
void audit(const Call& call, const Change& change);

// Writes the line of a change of the running config; none when it changed nothing. At most
// kAuditedMax values are listed, then how many more there are.
// action:     `patch`, `reload`.
// request_id: of the call that asked for it; empty: none did.
inline constexpr std::size_t kAuditedMax = 100;
void audit_config(Plane& plane, std::string_view action, std::string_view request_id,
                  const PatchReport& report);

}  // namespace penstock::admin
