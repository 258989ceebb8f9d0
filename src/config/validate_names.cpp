#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/address.h"
#include "base/named.h"
#include "config/compile_provider.h"
#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/tenants_config.h"
#include "config/unknown_name.h"
#include "config/validate.h"

namespace penstock::config {
namespace {

// `list`: the targets or the fallback chain of a model, at `path`.
template <class List>
void check_providers_of(const List& list, const std::string& path, const Config& config,
                        const Origins& origins, std::vector<Problem>& problems) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string& provider = list[i].provider;
    if (provider.empty() || config.providers.find(provider) != nullptr) continue;
    const Mark mark = origins.nearest(path_of(path_of(path, i), "provider"));
    problems.push_back(
        unknown_name("provider", provider, mark, config.providers, "providers", origins));
  }
}

void check_targets(const Config& config, const Origins& origins, std::vector<Problem>& problems) {
  for (const auto& [name, model] : config.models) {
    const std::string path = path_of("models", name);
    check_providers_of(model.targets, path_of(path, "targets"), config, origins, problems);
    check_providers_of(model.fallback, path_of(path, "fallback"), config, origins, problems);
  }
}

class KeyChecker {
 public:
  KeyChecker(const Origins& origins, std::vector<Problem>& problems)
      : origins_(origins), problems_(problems) {}

  void check(std::string_view name, const TenantConfig& tenant) {
    const std::string path = path_of("tenants", name);
    const std::string workloads = path_of(path, "workloads");
    std::map<std::string_view, std::string> ids;
    for (std::size_t i = 0; i < tenant.keys.size(); ++i) {
      const KeyConfig& key = tenant.keys[i];
      const std::string key_path = path_of(path_of(path, "keys"), i);
      once(ids, key.id, path_of(key_path, "id"), "id");
      once(hashes_, key.sha256, path_of(key_path, "sha256"), "hash");
      if (key.workload.empty() || tenant.workloads.find(key.workload) != nullptr) continue;
      const Mark mark = origins_.nearest(path_of(key_path, "workload"));
      problems_.push_back(
          unknown_name("workload", key.workload, mark, tenant.workloads, workloads, origins_));
    }
  }

 private:
  void once(std::map<std::string_view, std::string>& seen, std::string_view value,
            const std::string& path, std::string_view what) {
    if (value.empty()) return;
    const auto [first, fresh] = seen.try_emplace(value, path);
    if (fresh) return;
    const Mark mark = origins_.nearest(first->second);
    problems_.push_back({origins_.nearest(path),
                         fmt::format("{}: the same {} as {}", path, what, first->second),
                         fmt::format("that one is at line {}", mark.line)});
  }

  const Origins& origins_;
  std::vector<Problem>& problems_;
  std::map<std::string_view, std::string> hashes_;  // over all tenants: a key names one of them
};

void check_replicas(const Config& config, const Origins& origins, std::vector<Problem>& problems) {
  for (const auto& [name, provider] : config.providers) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < provider.replicas.size(); ++i) {
      const std::optional<BaseUrl> url = parse_base_url(provider.replicas[i].url);
      if (!url) continue;
      const std::string base = base_path_of(*url, provider.dialect);
      if (seen.insert(fmt::format("{}://{}:{}{}", url->scheme, url->host, url->port, base)).second)
        continue;
      const std::string path = path_of(path_of(path_of("providers", name), "replicas"), i);
      problems.push_back({origins.nearest(path), fmt::format("{}: the same replica twice", path),
                          "give one replica more weight instead"});
    }
  }
}

}  // namespace

void validate_names(const Config& config, const Origins& origins, std::vector<Problem>& problems) {
  check_targets(config, origins, problems);
  check_replicas(config, origins, problems);
  KeyChecker keys(origins, problems);
  for (const auto& [name, tenant] : config.tenants) keys.check(name, tenant);
}

}  // namespace penstock::config
