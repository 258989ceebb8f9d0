#include "telemetry/audit_log.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "json/writer.h"
#include "telemetry/timestamp.h"

namespace penstock::telemetry {
namespace {

void value(json::Writer& json, std::optional<std::string_view> text) {
  if (text)
    json.string(*text);
  else
    json.null();
}

void name(json::Writer& json, std::string_view key, std::string_view text) {
  json.key(key);
  value(json, text.empty() ? std::nullopt : std::optional(text));
}

}  // namespace

void append_line(std::string& out, const AuditRecord& record) {
  std::string at;
  append_timestamp(at, record.at);
  json::Writer json(out);
  json.begin_object().key("audit").boolean(true).key("at").raw(at);
  name(json, "rule", record.rule);
  name(json, "action", record.action);
  name(json, "code", record.code ? info(*record.code).name : std::string_view());
  name(json, "tenant", record.tenant);
  name(json, "workload", record.workload);
  name(json, "key_id", record.key_id);
  name(json, "request_id", record.request_id);
  name(json, "provider", record.provider);
  name(json, "replica", record.replica);
  name(json, "model", record.model);
  json.key("changes").begin_array();
  for (const AuditChange& change : record.changes) {
    json.begin_object().key("path").string(change.path).key("from");
    value(json, change.from);
    json.key("to");
    value(json, change.to);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace penstock::telemetry
