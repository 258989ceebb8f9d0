#include "config/values.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/field.h"
#include "base/field_type.h"
#include "config/config.h"
#include "config/path.h"
#include "config/table.h"
#include "config/value_text.h"

namespace penstock::config {
namespace {

class Lister {
 public:
  void section(const TypeInfo& type, const void* value, const std::string& path) {
    for (const Row& row : type.rows) entry(*row.type, row, row.get(value), path_of(path, row.key));
  }

  [[nodiscard]] std::vector<Value> take() { return std::move(list_); }

 private:
  // row: the nearest one, which names the value or the list that it stands in.
  void entry(const TypeInfo& type, const Row& row, const void* value, const std::string& path) {
    switch (type.kind) {
      case Kind::kStruct: return section(type, value, path);
      case Kind::kOptional:
        if (type.size(value) != 0) return entry(*type.element, row, type.at(value, 0), path);
        if (row.rule.absent_word.empty()) return add(path, row, std::nullopt, Kind::kText);
        return add(path, row, std::string(row.rule.absent_word), Kind::kText);
      case Kind::kNamed:
        for (std::size_t i = 0; i < type.size(value); ++i)
          entry(*type.element, row, type.at(value, i), path_of(path, type.name_at(value, i)));
        return;
      case Kind::kList:
        for (std::size_t i = 0; i < type.size(value); ++i)
          entry(*type.element, row, type.at(value, i), path_of(path, i));
        return;
      default: break;
    }
    std::string text = value_text(type, value);
    const bool unset = text.empty() && type.text != nullptr;
    add(path, row, unset ? std::nullopt : std::optional(std::move(text)), type.kind);
  }

  void add(const std::string& path, const Row& row, std::optional<std::string> text, Kind kind) {
    list_.push_back({.path = path, .text = std::move(text), .kind = kind, .reload = row.reload});
  }

  std::vector<Value> list_;
};

}  // namespace

std::vector<Value> values(const Config& config) {
  Lister lister;
  lister.section(config_type(), &config, "");
  return lister.take();
}

std::vector<ChangedValue> changes(const Config& before, const Config& after) {
  std::map<std::string, Value> old;
  for (Value& value : values(before)) old.emplace(value.path, std::move(value));
  std::vector<ChangedValue> changed;
  for (Value& value : values(after)) {
    const auto at = old.find(value.path);
    std::optional<std::string> was = at == old.end() ? std::nullopt : std::move(at->second.text);
    if (at != old.end()) old.erase(at);
    if (was != value.text)
      changed.push_back({.path = std::move(value.path),
                         .before = std::move(was),
                         .after = std::move(value.text),
                         .reload = value.reload});
  }
  for (auto& [path, gone] : old)
    if (gone.text)
      changed.push_back({.path = path,
                         .before = std::move(gone.text),
                         .after = std::nullopt,
                         .reload = gone.reload});
  return changed;
}

}  // namespace penstock::config
