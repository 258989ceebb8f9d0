#pragma once

#include <string>

namespace penstock::config {

// The reference of all keys in Markdown: docs/generated/config.md is this text. A test compares
// the two; `cmake --build … --target config_docs` writes it anew.
[[nodiscard]] std::string docs();

}  // namespace penstock::config
