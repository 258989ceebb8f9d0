#include "admin/audit.h"

#include <string>

#include "admin/routes.h"
#include "telemetry/audit_log.h"

namespace penstock::admin {

void audit(const Call& call, const Change& change) {
  std::string line;
  telemetry::append_line(line, {.at = call.plane.clock.wall(),
                                .rule = "admin",
                                .action = change.action,
                                .request_id = call.request_id,
                                .provider = change.provider,
                                .replica = change.replica,
                                .changes = change.values});
  call.plane.audit_log.write(line);
}

}  // namespace penstock::admin
