#include "admin/config_routes.h"

#include <optional>
#include <string>
#include <string_view>

#include "admin/audit.h"
#include "admin/plane.h"
#include "admin/routes.h"
#include "admin/running_config.h"
#include "base/error_code.h"
#include "base/result.h"
#include "json/writer.h"

namespace penstock::admin {

using runtime::Task;

namespace {

void value(json::Writer& json, const std::optional<std::string>& text) {
  if (text)
    json.string(*text);
  else
    json.null();
}

std::string report_json(const PatchReport& report) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("changes").begin_array();
  for (const ConfigChange& change : report.changes) {
    json.begin_object().key("path").string(change.path).key("from");
    value(json, change.before);
    json.key("to");
    value(json, change.after);
    json.end_object();
  }
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : report.warnings) json.string(warning);
  json.end_array().key("patched").integer(report.patched).end_object();
  return out;
}

}  // namespace

Task<Result<Reply>> show_config(const Call& call) {
  Reply reply;
  if (call.query.empty() || call.query == "format=json") {
    reply.body = call.plane.config.shown(ConfigForm::kJson);
  } else if (call.query == "format=yaml") {
    reply.body = call.plane.config.shown(ConfigForm::kYaml);
    reply.type = "application/yaml";
  } else {
    co_return fail(ErrorCode::kInvalidRequest,
                   "The config is shown as format=json or format=yaml.");
  }
  co_return reply;
}

Task<Result<Reply>> patch_config(const Call& call) {
  PENSTOCK_CO_TRY(const PatchReport report, co_await call.plane.config.patch(call.body));
  audit_config(call.plane, "patch", call.request_id, report);
  Reply reply;
  reply.body = report_json(report);
  co_return reply;
}

Task<Result<Reply>> reload_config(const Call& call) {
  if (!call.body.empty() && call.body != "{}")
    co_return fail(ErrorCode::kInvalidRequest,
                   "This reads the config file anew and takes no body.");
  PENSTOCK_CO_TRY(const PatchReport report, co_await call.plane.config.reload());
  audit_config(call.plane, "reload", call.request_id, report);
  Reply reply;
  reply.body = report_json(report);
  co_return reply;
}

}  // namespace penstock::admin
