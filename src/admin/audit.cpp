#include "admin/audit.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "admin/plane.h"
#include "admin/routes.h"
#include "admin/running_config.h"
#include "telemetry/audit_log.h"

namespace penstock::admin {

void audit(const Call& call, const Change& change) {
  std::string line;
  telemetry::append_line(line, {.at = call.plane.clock.wall(),
                                .rule = "admin",
                                .action = change.action,
                                .request_id = call.request_id,
                                .provider = change.provider,
                                .replica = change.replica});
  call.plane.audit_log.write(line);
}

void audit_config(Plane& plane, std::string_view action, std::string_view request_id,
                  const PatchReport& report) {
  if (report.changes.empty()) return;
  std::vector<telemetry::AuditChange> values;
  const std::size_t told = std::min(report.changes.size(), kAuditedMax);
  for (const ConfigChange& change : std::span(report.changes).first(told))
    values.push_back({.path = change.path, .from = change.before, .to = change.after});
  const std::string more = fmt::format("and {} more", report.changes.size() - told);
  if (told < report.changes.size()) values.push_back({.path = more});
  std::string line;
  telemetry::append_line(line, {.at = plane.clock.wall(),
                                .rule = "admin",
                                .action = action,
                                .request_id = request_id,
                                .changes = values});
  plane.audit_log.write(line);
}

}  // namespace penstock::admin
