#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/field.h"
#include "base/field_type.h"
#include "config/config.h"

namespace penstock::config {

// One value of a config, without its sections.
struct Value {
  std::string path;
  std::optional<std::string> text;  // as it is written in the file; nullopt: not set
  Kind kind = Kind::kText;
  Reload reload = Reload::kRestart;
};

// Every value of the config in the order of its tables, secrets as their references.
[[nodiscard]] std::vector<Value> values(const Config& config);

struct ChangedValue {
  std::string path;
  std::optional<std::string> before;
  std::optional<std::string> after;
  Reload reload = Reload::kRestart;
};

// What differs between two configs: what is in `after`, then what is in `before` alone.
[[nodiscard]] std::vector<ChangedValue> changes(const Config& before, const Config& after);

}  // namespace penstock::config
