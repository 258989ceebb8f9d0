#pragma once

#include <string>

namespace penstock {

// Where a secret stands, never the secret: `env:NAME` or `file:path`. May be printed.
struct SecretRef {
  std::string text;    // as written in the config; empty: none was given
  std::string folder;  // a relative `file:` path starts here: the folder of the config file

  [[nodiscard]] bool empty() const noexcept { return text.empty(); }
  bool operator==(const SecretRef&) const = default;
};

}  // namespace penstock
