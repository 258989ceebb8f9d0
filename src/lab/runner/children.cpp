#include "lab/runner/children.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/types.h>

#include <fmt/format.h>

#include "base/error_code.h"
#include "base/quantity_text.h"
#include "base/result.h"
#include "base/units.h"
#include "json/reader.h"
#include "json/string.h"
#include "lab/load.h"
#include "lab/pacer.h"
#include "lab/runner/ask_http.h"
#include "lab/runner/call_record.h"
#include "lab/runner/metrics_text.h"

namespace penstock::lab {
namespace {

constexpr std::int64_t kLateMax = 100'000;  // microseconds

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A member of the object that comes next, as written; empty without it.
std::string member(std::string_view json, std::string_view name) {
  json::Reader reader(json);
  std::string_view key;
  std::string found;
  if (reader.enter_object())
    while (reader.next_key(key)) {
      const std::string_view value = reader.skip_value();
      if (json::equals(key, name)) found = value;
    }
  return found;
}

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return {};
  return json::unescape(text.substr(1, text.size() - 2));
}

Result<std::string> mock_stats(const MockChild& mock) {
  PENSTOCK_TRY(const HttpReply reply, ask_http({.port = mock.port, .path = "/mock/stats"}));
  if (reply.status != 200)
    return fail(ErrorCode::kUpstreamBadResponse, mock.name + " has no stats");
  return reply.body;
}

}  // namespace

Result<void> MockChild::fault(std::string_view json) const {
  PENSTOCK_TRY(const HttpReply reply,
               ask_http({.port = port, .method = "POST", .path = "/mock/fault", .body = json}));
  if (reply.status == 200) return {};
  return fail(ErrorCode::kInvalidRequest, fmt::format("{} refuses {}: {}", name, json, reply.body));
}

Result<std::uint64_t> MockChild::stat(std::string_view what) const {
  PENSTOCK_TRY(const std::string stats, mock_stats(*this));
  const auto value = number<std::uint64_t>(member(stats, what));
  if (!value) return fail(ErrorCode::kUpstreamBadResponse, fmt::format("{}: no {}", name, what));
  return *value;
}

Result<MockChild::Identity> MockChild::identity() const {
  PENSTOCK_TRY(const std::string stats, mock_stats(*this));
  const std::string identity = member(stats, "identity");
  return Identity{.name = unquoted(member(identity, "name")),
                  .pid = number<pid_t>(member(identity, "pid")).value_or(0)};
}

Result<MetricsText> GatewayChild::metrics() const {
  PENSTOCK_TRY(HttpReply reply, ask_http({.port = admin_port, .path = "/metrics"}));
  if (reply.status != 200)
    return fail(ErrorCode::kUpstreamBadResponse, plan.name + " has no metrics");
  return MetricsText(std::move(reply.body));
}

std::vector<std::string> load_arguments(const LoadOptions& options) {
  std::vector<std::string> out{
      "load",   "--url",     options.url,     "--model",   options.model,
      "--json", "--records", options.records, "--timeout", duration_text(options.timeout)};
  const auto add = [&out](const char* flag, std::string value) {
    out.emplace_back(flag);
    out.push_back(std::move(value));
  };
  if (!options.key.empty()) add("--key", options.key);
  for (const RatePhase& phase : options.phases)
    add("--phase", fmt::format("{}:{}", phase.per_second, duration_text(phase.time)));
  if (options.rps > 0) add("--rps", fmt::format("{}", options.rps));
  if (!options.open_loop()) add("--concurrency", std::to_string(options.concurrency));
  if (options.phases.empty()) add("--duration", duration_text(options.duration));
  if (options.warm_up > Duration::zero()) add("--warm-up", duration_text(options.warm_up));
  if (options.abort_after > Duration::zero())
    add("--abort-after", duration_text(options.abort_after));
  if (options.retries != 0) add("--retries", std::to_string(options.retries));
  if (options.requests_max != 0) add("--requests", std::to_string(options.requests_max));
  if (options.max_tokens != 0) add("--max-tokens", std::to_string(options.max_tokens));
  if (options.stream) out.emplace_back("--stream");
  return out;
}

Result<std::int64_t> load_started(std::string_view report) {
  const auto started = number<std::int64_t>(member(report, "started_us"));
  if (!started) return fail(ErrorCode::kInvalidJson, "the load reports no start");
  return *started;
}

std::uint64_t planned(const LoadOptions& options) {
  if (!options.open_loop()) return 0;
  if (options.phases.empty()) return RatePhase{options.rps, options.duration}.count();
  return ArrivalPlan{.phases = options.phases}.count();
}

std::size_t most_at_once(const Calls& calls) {
  std::vector<std::pair<std::int64_t, int>> turns;  // an end before a start of the same instant
  for (const CallRecord& call : calls) {
    turns.emplace_back(call.start, 1);
    turns.emplace_back(call.ended(), -1);
  }
  std::ranges::sort(turns);
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [at, change] : turns) most = std::max(most, now += change);
  return static_cast<std::size_t>(most);
}

std::uint64_t begun_in_time(const Calls& calls) {
  return static_cast<std::uint64_t>(std::ranges::count_if(calls, [](const CallRecord& call) {
    return call.attempt == 1 && call.late <= kLateMax && call.end != "not_sent";
  }));
}

std::optional<std::uint16_t> listening_port(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with('{') || !line.contains("\"listening\"") || !line.ends_with('}')) continue;
    const std::string place = unquoted(member(line, name));
    const std::size_t colon = place.rfind(':');
    if (colon != std::string::npos)
      return number<std::uint16_t>(std::string_view(place).substr(colon + 1));
  }
  return std::nullopt;
}

}  // namespace penstock::lab
