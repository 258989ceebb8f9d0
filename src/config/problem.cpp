#include "config/problem.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace penstock::config {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string render(const Problem& problem, std::string_view file) {
  std::string line(file);
  if (problem.mark.line != 0) line += fmt::format(":{}:{}", problem.mark.line, problem.mark.column);
  line += ": ";
  line += problem.text;
  if (!problem.hint.empty()) {
    line += " — ";
    line += problem.hint;
  }
  // What somebody wrote stands in the text: it must not move a terminal's cursor.
  std::ranges::replace_if(line, is_control, '?');
  return line;
}

void sort_by_place(std::vector<Problem>& problems) {
  std::ranges::sort(problems, [](const Problem& left, const Problem& right) {
    return std::tie(left.mark, left.text) < std::tie(right.mark, right.text);
  });
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShownMax = 64;
  std::string shown = "\"";
  shown += text.substr(0, kShownMax);
  shown += text.size() > kShownMax ? "…\"" : "\"";
  return shown;
}

}  // namespace penstock::config
