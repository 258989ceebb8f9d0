#include "config/path.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "config/problem.h"

namespace penstock::config {
namespace {

bool is_plain(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

std::string path_of(std::string_view parent, std::string_view key) {
  const std::string name = is_plain(key) ? std::string(key) : fmt::format("\"{}\"", key);
  return parent.empty() ? name : fmt::format("{}.{}", parent, name);
}

std::string path_of(std::string_view parent, std::size_t index) {
  return fmt::format("{}[{}]", parent, index);
}

std::string Origins::text(std::string_view path, std::string_view file) const {
  const Place* place = find(path);
  if (place == nullptr) return "default";
  if (place->key.line == 0) return "patch";
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), place->key.line);
}

Mark Origins::nearest(std::string_view path) const {
  while (!path.empty()) {
    if (const Place* place = find(path)) return place->value;
    const std::size_t cut = path.find_last_of(".[");
    path = cut == std::string_view::npos ? "" : path.substr(0, cut);
  }
  return {};
}

}  // namespace penstock::config
