#include "config/dead_keys.h"

#include <algorithm>
#include <string>

#include "base/units.h"
#include "config/config.h"
#include "config/load.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/tenants_config.h"
#include "identity/auth_config.h"

namespace penstock::config {

void warn_of_dead_keys(LoadResult& loaded, WallTime now) {
  if (loaded.config.auth.mode != identity::AuthMode::kKeys) return;
  const auto dead = [now](const KeyConfig& key) {
    return key.disabled || (key.expires && *key.expires <= now);
  };
  for (const auto& [name, tenant] : loaded.config.tenants) {
    if (tenant.keys.empty() || !std::ranges::all_of(tenant.keys, dead)) continue;
    const std::string path = path_of(path_of("tenants", name), "keys");
    loaded.warnings.push_back({loaded.origins.nearest(path),
                               path + ": are all disabled or expired, so that nobody can call",
                               "mint one with penstock keys new"});
  }
  sort_by_place(loaded.warnings);
}

}  // namespace penstock::config
