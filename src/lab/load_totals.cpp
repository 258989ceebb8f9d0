#include "lab/load_totals.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <ratio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "json/writer.h"
#include "lab/latency_histogram.h"
#include "lab/load_record.h"

namespace penstock::lab {
namespace {

struct Percentile {
  std::string_view name;
  std::uint32_t per_mille;
};
constexpr std::array<Percentile, 4> kPercentiles{
    {{"p50", 500}, {"p95", 950}, {"p99", 990}, {"max", 1000}}};

using Row = std::pair<std::string_view, const LatencyHistogram*>;

std::array<Row, 3> rows(const LoadTotals& totals) {
  return {{{"ttft", &totals.ttft}, {"total", &totals.total}, {"late", &totals.late}}};
}

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

double achieved(const LoadTotals& totals, const LoadRates& rates) {
  const double time = seconds(rates.time);
  return time > 0 ? static_cast<double>(totals.of(LoadEnd::kOk)) / time : 0;
}

std::string milliseconds(Duration time) {
  return fmt::format("{:.3f} ms", std::chrono::duration<double, std::milli>(time).count());
}

void append_ends(std::string& out, const LoadTotals& totals) {
  if (totals.failed() == 0) return;
  out += "errors ";
  for (std::size_t i = 0; i < kLoadEndCount; ++i) {
    const auto end = static_cast<LoadEnd>(i);
    if (end == LoadEnd::kOk || end == LoadEnd::kAborted || totals.of(end) == 0) continue;
    fmt::format_to(std::back_inserter(out), " {} {}", name(end), totals.of(end));
  }
  out += "\nstatuses";
  for (const auto& [status, count] : totals.statuses)
    fmt::format_to(std::back_inserter(out), " {}: {}", status, count);
  if (!totals.codes.empty()) out += "\ncodes  ";
  for (const auto& [code, count] : totals.codes)
    fmt::format_to(std::back_inserter(out), " {}: {}", code, count);
  out += '\n';
}

}  // namespace

void LoadTotals::add(const LoadRecord& record) {
  ++ends[static_cast<std::size_t>(record.end)];
  late.add(record.late);
  bytes += record.bytes;
  chunks += record.chunks;
  if (record.status != 0) ++statuses[record.status];
  if (!record.failed() && record.ttft) ttft.add(*record.ttft);
  if (record.end == LoadEnd::kOk) total.add(record.total);
  if (record.code.empty()) return;
  const bool known = codes.contains(record.code) || codes.size() < kCodesMax;
  ++codes[known ? record.code : "other"];
}

void LoadTotals::add(const LoadTotals& other) {
  ttft.add(other.ttft);
  total.add(other.total);
  late.add(other.late);
  for (std::size_t i = 0; i < kLoadEndCount; ++i) ends[i] += other.ends[i];
  for (const auto& [status, count] : other.statuses) statuses[status] += count;
  for (const auto& [code, count] : other.codes) codes[code] += count;
  bytes += other.bytes;
  chunks += other.chunks;
}

std::uint64_t LoadTotals::all() const noexcept {
  return std::accumulate(ends.begin(), ends.end(), std::uint64_t{0});
}

std::string report_table(const LoadTotals& totals, const LoadRates& rates) {
  std::string out = fmt::format(
      "requests  {} sent, {} ok, {} aborted, {} failed in {:.2f} s\n"
      "rate      offered {:.1f}/s, achieved {:.1f}/s\n"
      "received  {} bytes, {} chunks\n\n{:<8}",
      totals.all() - totals.of(LoadEnd::kNotSent), totals.of(LoadEnd::kOk),
      totals.of(LoadEnd::kAborted), totals.failed(), seconds(rates.time), rates.offered,
      achieved(totals, rates), totals.bytes, totals.chunks, "");
  for (const Percentile& percentile : kPercentiles)
    fmt::format_to(std::back_inserter(out), "{:>14}", percentile.name);
  out += '\n';
  for (const auto& [name, histogram] : rows(totals)) {
    fmt::format_to(std::back_inserter(out), "{:<8}", name);
    for (const Percentile& percentile : kPercentiles)
      fmt::format_to(std::back_inserter(out), "{:>14}",
                     milliseconds(histogram->percentile(percentile.per_mille)));
    out += '\n';
  }
  append_ends(out, totals);
  return out;
}

std::string report_json(const LoadTotals& totals, const LoadRates& rates) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("sent").integer(totals.all() - totals.of(LoadEnd::kNotSent));
  writer.key("ok").integer(totals.of(LoadEnd::kOk));
  writer.key("aborted").integer(totals.of(LoadEnd::kAborted));
  writer.key("failed").integer(totals.failed());
  writer.key("seconds").number(seconds(rates.time));
  writer.key("started_us")
      .integer(
          std::chrono::floor<std::chrono::microseconds>(rates.started.time_since_epoch()).count());
  writer.key("offered_rps").number(rates.offered);
  writer.key("achieved_rps").number(achieved(totals, rates));
  writer.key("bytes").integer(totals.bytes).key("chunks").integer(totals.chunks);
  for (const auto& [name, histogram] : rows(totals)) {
    writer.key(std::string(name) + "_us").begin_object();
    writer.key("count").integer(histogram->count());
    for (const Percentile& percentile : kPercentiles)
      writer.key(percentile.name)
          .number(
              std::chrono::duration<double, std::micro>(histogram->percentile(percentile.per_mille))
                  .count());
    writer.end_object();
  }
  writer.key("errors").begin_object();
  for (std::size_t i = 0; i < kLoadEndCount; ++i) {
    const auto end = static_cast<LoadEnd>(i);
    if (end != LoadEnd::kOk && end != LoadEnd::kAborted && totals.of(end) != 0)
      writer.key(name(end)).integer(totals.of(end));
  }
  writer.end_object().key("statuses").begin_object();
  for (const auto& [status, count] : totals.statuses)
    writer.key(std::to_string(status)).integer(count);
  writer.end_object().key("codes").begin_object();
  for (const auto& [code, count] : totals.codes) writer.key(code).integer(count);
  writer.end_object().end_object();
  return out + '\n';
}

}  // namespace penstock::lab
