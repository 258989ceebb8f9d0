#pragma once

#include <cstdint>
#include <string_view>

namespace penstock {

enum class Tier : std::uint8_t { kInternal, kExternal };

[[nodiscard]] constexpr std::string_view name(Tier tier) noexcept {
  return tier == Tier::kInternal ? "internal" : "external";
}

// Who calls. The views point into the config snapshot that the request holds.
struct Principal {
  std::string_view tenant;    // empty: none (dev mode)
  std::string_view workload;  // empty: none
  std::string_view key_id;    // the key's name, never its bytes
  Tier tier = Tier::kInternal;
};

}  // namespace penstock
