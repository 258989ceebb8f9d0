#pragma once

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/named.h"
#include "base/nearest.h"
#include "config/path.h"
#include "config/problem.h"

namespace penstock::config {

// The problem of a reference to nothing: unknown KIND "name" — did you mean "other"? (defined at
// line N). known: what there is, below the path `parent`.
template <class T>
[[nodiscard]] Problem unknown_name(std::string_view kind, std::string_view name, Mark mark,
                                   const Named<T>& known, std::string_view parent,
                                   const Origins& origins) {
  Problem problem{mark, fmt::format("unknown {} {}", kind, quoted(name)), ""};
  std::vector<std::string_view> names;
  for (const auto& entry : known) names.push_back(entry.name);
  if (const auto best = nearest(name, names)) {
    problem.hint = fmt::format("did you mean {}?", quoted(*best));
    if (const Origins::Place* place = origins.find(path_of(parent, *best)))
      problem.hint += fmt::format(" (defined at line {})", place->key.line);
  } else if (names.empty()) {
    problem.hint = fmt::format("no {} is defined", kind);
  }
  return problem;
}

}  // namespace penstock::config
