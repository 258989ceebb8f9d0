#pragma once

#include <string>

namespace penstock::config {

// A JSON Schema (draft 2020-12) of the config file, for editors. It knows the keys of this version
// and refuses all others, as loading does; rules between values it cannot say.
[[nodiscard]] std::string schema();

}  // namespace penstock::config
