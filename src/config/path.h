#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "config/problem.h"

// Paths name values of the config in messages: `models.chat.targets[0].provider`. A name that is
// not plain is quoted (`models."gpt-5.1"`), so that no two values share a path.
namespace penstock::config {

[[nodiscard]] std::string path_of(std::string_view parent, std::string_view key);
[[nodiscard]] std::string path_of(std::string_view parent, std::size_t index);

// Where each value was written; a value without an entry is a default.
class Origins {
 public:
  struct Place {  // both with line 0: a live change
    Mark key;     // of a list's item: the item itself
    Mark value;   // what a message about the value points at
  };

  void add(std::string path, Place place) { places_.emplace(std::move(path), place); }

  // Null for a default.
  [[nodiscard]] const Place* find(std::string_view path) const {
    const auto at = places_.find(path);
    return at == places_.end() ? nullptr : &at->second;
  }
  // Where the value comes from, for people: `default`, `patch` for a live change, else the file's
  // name and line.
  [[nodiscard]] std::string text(std::string_view path, std::string_view file) const;
  // The place of the value, else that of the nearest parent that was written, else the file.
  [[nodiscard]] Mark nearest(std::string_view path) const;

 private:
  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace penstock::config
