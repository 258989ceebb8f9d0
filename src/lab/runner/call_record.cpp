#include "lab/runner/call_record.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/error_code.h"
#include "base/result.h"
#include "json/reader.h"
#include "json/string.h"

namespace penstock::lab {
namespace {

// The members of one flat JSON object, as written.
using Members = std::unordered_map<std::string_view, std::string_view>;

Result<Members> members_of(std::string_view line) {
  json::Reader reader(line);
  Members members;
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) members[key] = reader.skip_value();
  if (!reader.finish()) return fail(ErrorCode::kInvalidJson, "no JSON line: " + std::string(line));
  return members;
}

std::optional<std::int64_t> whole(const Members& members, std::string_view name) {
  const auto at = members.find(name);
  if (at == members.end()) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = at->second.data() + at->second.size();
  if (std::from_chars(at->second.data(), end, value).ec != std::errc()) return std::nullopt;
  return value;
}

std::string text(const Members& members, std::string_view name) {
  const auto at = members.find(name);
  if (at == members.end() || at->second.size() < 2 || at->second.front() != '"') return {};
  return json::unescape(at->second.substr(1, at->second.size() - 2));
}

std::string_view next_line(std::string_view& lines) {
  const std::string_view line = lines.substr(0, lines.find('\n'));
  lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  return line;
}

void append_row(std::string& out, const CallRecord& call, std::int64_t zero) {
  fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                 call.start - zero, call.late, call.ttft ? std::to_string(*call.ttft) : "",
                 call.total, call.attempt, call.status, call.end, call.code, call.provider,
                 call.replica, call.attempts, call.queued, call.overhead);
}

}  // namespace

Result<Calls> read_calls(std::string_view lines, std::int64_t started) {
  Calls calls;
  while (!lines.empty()) {
    PENSTOCK_TRY(const Members members, members_of(next_line(lines)));
    CallRecord& call = calls.emplace_back();
    call.start = started + whole(members, "start_us").value_or(0);
    call.late = whole(members, "late_us").value_or(0);
    call.ttft = whole(members, "ttft_us");
    call.total = whole(members, "total_us").value_or(0);
    call.attempt = static_cast<std::uint64_t>(whole(members, "try").value_or(1));
    call.status = static_cast<int>(whole(members, "status").value_or(0));
    if (std::string end = text(members, "error"); !end.empty()) call.end = std::move(end);
    call.code = text(members, "code");
    call.request_id = text(members, "request_id");
  }
  std::ranges::sort(calls, {}, &CallRecord::start);
  return calls;
}

Result<void> join_access_log(Calls& calls, std::string_view lines,
                             const std::map<std::string, std::string>& names) {
  std::unordered_map<std::string_view, CallRecord*> by_id;
  for (CallRecord& call : calls)
    if (!call.request_id.empty()) by_id[call.request_id] = &call;
  while (!lines.empty()) {
    PENSTOCK_TRY(const Members members, members_of(next_line(lines)));
    const std::string id = text(members, "request_id");
    const auto at = by_id.find(id);
    if (at == by_id.end()) continue;
    CallRecord& call = *at->second;
    ++call.log_lines;
    call.provider = text(members, "provider");
    call.replica = text(members, "replica");
    if (const auto name = names.find(call.replica); name != names.end())
      call.replica = name->second;
    call.attempts = static_cast<std::uint64_t>(whole(members, "attempts").value_or(0));
    call.queued = whole(members, "queue_us").value_or(0);
    call.overhead = whole(members, "overhead_us").value_or(0);
    call.duration = whole(members, "duration_us").value_or(0);
  }
  return {};
}

CsvTable csv_table(const Calls& calls, std::int64_t zero, std::size_t rows_max) {
  CsvTable table;
  table.every = std::max<std::size_t>(1, (calls.size() + rows_max - 1) / rows_max);
  table.text =
      "start_us,late_us,ttft_us,total_us,try,status,end,code,provider,replica,attempts,queue_us,"
      "overhead_us\n";
  const auto failed = static_cast<std::size_t>(
      std::ranges::count_if(calls, [](const CallRecord& call) { return !call.ok(); }));
  const bool keep_failed = failed <= rows_max / 4;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (i % table.every == 0 || (keep_failed && !calls[i].ok()))
      append_row(table.text, calls[i], zero);
  return table;
}

}  // namespace penstock::lab
