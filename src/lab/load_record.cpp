#include "lab/load_record.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"
#include "json/writer.h"

namespace penstock::lab {
namespace {

std::int64_t microseconds(Duration time) {
  return std::chrono::floor<std::chrono::microseconds>(time).count();
}

}  // namespace

std::string_view name(LoadEnd end) noexcept {
  switch (end) {
    case LoadEnd::kOk: return "ok";
    case LoadEnd::kAborted: return "aborted";
    case LoadEnd::kConnect: return "connect";
    case LoadEnd::kTimeout: return "timeout";
    case LoadEnd::kReset: return "reset";
    case LoadEnd::kMalformed: return "malformed";
    case LoadEnd::kStatus: return "status";
    case LoadEnd::kErrorEvent: return "error_event";
    case LoadEnd::kInterrupted: return "interrupted";
    case LoadEnd::kUnfinished: return "unfinished";
    case LoadEnd::kNotSent: return "not_sent";
  }
  return "ok";
}

std::string json_line(const LoadRecord& record) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("start_us").integer(microseconds(record.start));
  writer.key("late_us").integer(microseconds(record.late));
  writer.key("try").integer(record.attempt);
  writer.key("status").integer(record.status);
  writer.key("ttft_us");
  if (record.ttft)
    writer.integer(microseconds(*record.ttft));
  else
    writer.null();
  writer.key("total_us").integer(microseconds(record.total));
  writer.key("bytes").integer(record.bytes);
  writer.key("chunks").integer(record.chunks);
  writer.key("error");
  if (record.end == LoadEnd::kOk)
    writer.null();
  else
    writer.string(name(record.end));
  writer.key("code").string(record.code);
  writer.key("request_id").string(record.request_id);
  writer.end_object();
  return out + '\n';
}

}  // namespace penstock::lab
