#include "lab/runner/evidence.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "json/writer.h"
#include "lab/runner/report.h"

namespace penstock::lab {
namespace {

std::string_view word(const Claim& claim) {
  if (claim.figure()) return "reported";
  return claim.holds ? "holds" : "FAILS";
}

// Columns that a terminal shows, as far as the house uses them: one per character, not per byte.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t columns) {
  return std::string(text) + std::string(columns - std::min(columns, width(text)), ' ');
}

}  // namespace

std::string summary_json(const Finding& finding) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("experiment").string(finding.experiment).key("about").string(finding.about);
  writer.key("verdict").string(name(finding.report.verdict()));
  writer.key("folder").string(finding.folder);
  writer.key("command").string(finding.command).key("seed").integer(finding.seed);
  writer.key("at").string(finding.at).key("seconds").number(finding.seconds);
  writer.key("machine").string(finding.machine).key("version").string(finding.version);
  writer.key("claims").begin_array();
  for (const Claim& claim : finding.report.claims) {
    writer.begin_object().key("claim").string(claim.what);
    writer.key("wanted").string(claim.wanted).key("measured").string(claim.measured);
    writer.key("verdict").string(word(claim)).key("source").string(claim.source).end_object();
  }
  writer.end_array().key("checks").begin_array();
  for (const Check& check : finding.report.checks) {
    writer.begin_object().key("check").string(check.what);
    writer.key("holds").boolean(check.holds).key("seen").string(check.seen).end_object();
  }
  writer.end_array().key("files").begin_array();
  for (const std::string& file : finding.report.files) writer.string(file);
  writer.end_array().end_object();
  return out + '\n';
}

std::string index_head() {
  return "# Evidence of the lab\n\n"
         "Written by `penstock lab`: real processes on loopback, one machine. Each number stands "
         "with the file that\nit was computed from and the command that measures it again. "
         "Times in records are microseconds; `start_us`\ncounts from the start of the trial's "
         "first load; a row is one request (or one try of it: `try`). A claim\nis only worth "
         "something where every validity check of its experiment held; runs of which one did not "
         "are\nkept under `invalid/`. What the columns mean: `penstock lab --help`.\n\n";
}

std::string index_section(const Finding& finding) {
  const Report& report = finding.report;
  std::string out = fmt::format(
      "## {}: {}\n\n{}\n\n`{}` (seed {}), {}, {:.0f} s, {}, penstock {}. {} validity checks, {} of "
      "them broken.\n\n",
      finding.experiment, name(report.verdict()), finding.about, finding.command, finding.seed,
      finding.at, finding.seconds, finding.machine, finding.version, report.checks.size(),
      report.broken().size());
  const auto to = std::back_inserter(out);
  for (const Check& check : report.broken())
    fmt::format_to(to, "- **invalid**: {}: {}\n", check.what, check.seen);
  if (!report.broken().empty()) out += '\n';
  out += "| number | wanted | measured | verdict | file |\n|---|---|---|---|---|\n";
  for (const Claim& claim : report.claims)
    fmt::format_to(to, "| {} | {} | {} | {} | `{}/{}` |\n", claim.what, claim.wanted,
                   claim.measured, word(claim), finding.folder, claim.source);
  out += '\n';
  for (const std::string& file : report.files) fmt::format_to(to, "- {}\n", file);
  return out + '\n';
}

std::string result_table(const std::vector<Finding>& findings) {
  std::size_t what = 5;
  std::size_t wanted = 6;
  std::size_t measured = 8;
  std::size_t passed = 0;
  for (const Finding& finding : findings) {
    passed += finding.report.verdict() == Verdict::kPassed ? 1U : 0U;
    for (const Claim& claim : finding.report.claims) {
      what = std::max(what, width(claim.what));
      wanted = std::max(wanted, width(claim.wanted));
      measured = std::max(measured, width(claim.measured));
    }
  }
  std::string out;
  const auto to = std::back_inserter(out);
  for (const Finding& finding : findings) {
    fmt::format_to(to, "\n{} ({:.0f} s): {}\n", finding.experiment, finding.seconds,
                   name(finding.report.verdict()));
    for (const Check& check : finding.report.broken())
      fmt::format_to(to, "  invalid: {}: {}\n", check.what, check.seen);
    fmt::format_to(to, "  {}  {}  {}  verdict\n", padded("claim", what), padded("wanted", wanted),
                   padded("measured", measured));
    for (const Claim& claim : finding.report.claims)
      fmt::format_to(to, "  {}  {}  {}  {}\n", padded(claim.what, what),
                     padded(claim.wanted, wanted), padded(claim.measured, measured), word(claim));
  }
  fmt::format_to(to, "\n{} passed, {} failed\n", passed, findings.size() - passed);
  return out;
}

}  // namespace penstock::lab
