#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/runner/report.h"

// How results are written: for programs, for the index, for the terminal. Pure.
namespace penstock::lab {

// One experiment with everything that its evidence says.
struct Finding {
  std::string experiment;
  std::string folder;   // of its files, below the index
  std::string about;    // one sentence
  std::string command;  // that repeats it
  std::string machine;
  std::string version;
  std::string at;  // RFC 3339
  std::uint64_t seed = 0;
  double seconds = 0;
  Report report;
};

// One JSON object, its line end included.
[[nodiscard]] std::string summary_json(const Finding& finding);
// A section of the index: each number with its file and command.
[[nodiscard]] std::string index_section(const Finding& finding);
// What stands above the sections.
[[nodiscard]] std::string index_head();
// Claim, wanted, measured, verdict of each; then how many experiments passed.
[[nodiscard]] std::string result_table(const std::vector<Finding>& findings);

}  // namespace penstock::lab
