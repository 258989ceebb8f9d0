#include "policy/glob.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock::policy {

// Only the last `*` seen is ever widened: an earlier one can have left nothing better to do.
bool Glob::matches(std::string_view name) const noexcept {
  const std::string_view pattern = pattern_;
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t behind_star = std::string_view::npos;
  std::size_t star_ends = 0;  // how far into the name the last star reaches
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      behind_star = ++p;
      star_ends = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (behind_star != std::string_view::npos) {
      p = behind_star;
      n = ++star_ends;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Follows every place in the pattern that the prefix may have led to.
bool Glob::can_match_under(std::string_view prefix) const {
  const std::size_t end = pattern_.size();
  std::vector<bool> at(end + 1, false);
  const auto pass_stars = [&](std::vector<bool>& places) {
    for (std::size_t i = 0; i < end; ++i)
      if (places[i] && pattern_[i] == '*') places[i + 1] = true;
  };
  at[0] = true;
  pass_stars(at);
  for (const char c : prefix) {
    std::vector<bool> next(end + 1, false);
    for (std::size_t i = 0; i < end; ++i) {
      if (!at[i]) continue;
      if (pattern_[i] == '*')
        next[i] = true;
      else if (pattern_[i] == '?' || pattern_[i] == c)
        next[i + 1] = true;
    }
    pass_stars(next);
    at = std::move(next);
  }
  // What is left of the pattern matches itself; nothing left matches nothing more.
  for (std::size_t i = 0; i < end; ++i)
    if (at[i]) return true;
  return false;
}

}  // namespace penstock::policy
