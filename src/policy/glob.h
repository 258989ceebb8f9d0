#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace penstock::policy {

// A pattern over whole names: `*` stands for any characters, none included, `?` for one byte;
// everything else, a slash too, for itself. Case counts.
class Glob {
 public:
  Glob() = default;
  explicit Glob(std::string pattern) : pattern_(std::move(pattern)) {}

  // cost: O(pattern × name) at worst, without recursion or allocation.
  [[nodiscard]] bool matches(std::string_view name) const noexcept;

  // Whether any name matches that begins with `prefix` and goes on behind it.
  // cost: O(pattern × prefix).
  [[nodiscard]] bool can_match_under(std::string_view prefix) const;

  [[nodiscard]] const std::string& text() const noexcept { return pattern_; }

 private:
  std::string pattern_;
};

}  // namespace penstock::policy
