#include "lab/runner/report.h"

#include <string>

#include <gtest/gtest.h>

#include "lab/runner/evidence.h"

namespace penstock::lab {
namespace {

TEST(Bound, JudgesItsEnds) {
  EXPECT_TRUE(at_most(5).holds(5));
  EXPECT_FALSE(below(5).holds(5));
  EXPECT_TRUE(at_least(5).holds(5));
  EXPECT_FALSE(above(5).holds(5));
  EXPECT_TRUE(between(1, 2).holds(2));
  EXPECT_FALSE(between(1, 2).holds(2.1));
  EXPECT_TRUE(exactly(0).holds(0));
  EXPECT_EQ(at_most(1.5, "ms").text(), "≤ 1.5 ms");
  EXPECT_EQ(number_text(-0.0001, "%"), "0 %");
}

Report good() {
  Report report;
  report.check({.what = "it ran", .holds = true, .seen = {}});
  report.claim("errors", exactly(0), 0, "load.csv.gz");
  return report;
}

// An experiment whose check does not hold is invalid, even if every claim looks fine; so is one
// that claims nothing.
TEST(Report, IsInvalidBeforeItIsAnythingElse) {
  Report report = good();
  EXPECT_EQ(report.verdict(), Verdict::kPassed);
  report.claim("p50", at_most(1, "ms"), 2, "load.csv.gz");
  EXPECT_EQ(report.verdict(), Verdict::kFailed);
  report.check({.what = "killed", .holds = false, .seen = "it is alive"});
  EXPECT_EQ(report.verdict(), Verdict::kInvalid);
  Report empty;
  empty.figure("p50", 1, "ms", "load.csv.gz");
  EXPECT_EQ(empty.verdict(), Verdict::kInvalid);
}

// Each number stands with its file and command, and a broken check says why.
TEST(Evidence, MapsNumbersToFilesAndCommands) {
  Finding finding;
  finding.experiment = "killed";
  finding.folder = "invalid/killed-1";
  finding.command = "penstock lab killed --seed 7";
  finding.report = good();
  finding.report.check({.what = "killed", .holds = false, .seen = "it is alive"});
  const std::string section = index_section(finding);
  EXPECT_TRUE(section.contains("## killed: invalid"));
  EXPECT_TRUE(section.contains("`penstock lab killed --seed 7`"));
  EXPECT_TRUE(section.contains("| errors | 0 | 0 | holds | `invalid/killed-1/load.csv.gz` |"));
  EXPECT_TRUE(section.contains("it is alive"));
  EXPECT_TRUE(summary_json(finding).contains(R"("verdict":"invalid")"));
  EXPECT_TRUE(result_table({finding}).ends_with("\n0 passed, 1 failed\n"));
}

}  // namespace
}  // namespace penstock::lab
