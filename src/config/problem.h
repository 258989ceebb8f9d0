#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::config {

// A place in the config file, counted from 1; line 0: the file as a whole, or a live change.
struct Mark {
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // in bytes
  auto operator<=>(const Mark&) const = default;
};

// Something wrong with a config file.
struct Problem {
  Mark mark;
  std::string text;  // what is wrong, naming the key
  std::string hint;  // what to do about it, or empty
};

// One line, free of control characters: `penstock.yaml:31:14: unknown provider "opnai" — did you
// mean "openai"?`. The file is named as the caller names it.
[[nodiscard]] std::string render(const Problem& problem, std::string_view file);

// In the order of the file.
void sort_by_place(std::vector<Problem>& problems);

// The text in double quotes, cut to 64 bytes: for messages about what somebody wrote.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace penstock::config
