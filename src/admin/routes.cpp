#include "admin/routes.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admin/config_routes.h"
#include "admin/drain_route.h"
#include "admin/provider_routes.h"
#include "admin/status_routes.h"
#include "base/nearest.h"

namespace penstock::admin {
namespace {

constexpr std::array kRoutes{
    Route{"GET", "/metrics", &show_metrics},
    Route{"GET", "/admin/v1/status", &show_status},
    Route{"POST", "/admin/v1/drain", &begin_drain},
    Route{"GET", "/admin/v1/config", &show_config},
    Route{"PATCH", "/admin/v1/config", &patch_config},
    Route{"POST", "/admin/v1/reload", &reload_config},
    Route{"GET", "/admin/v1/providers", &show_providers},
    Route{"POST", "/admin/v1/providers/{}/drain", &drain_replica},
    Route{"POST", "/admin/v1/providers/{}/enable", &enable_replica},
    Route{"POST", "/admin/v1/providers/{}/reset", &reset_replica},
};

// What stands at the pattern's {}, or an empty view for a pattern without; nullopt: no match.
std::optional<std::string_view> match(std::string_view pattern, std::string_view path) {
  const std::size_t open = pattern.find("{}");
  if (open == std::string_view::npos)
    return pattern == path ? std::optional(std::string_view()) : std::nullopt;
  const std::string_view before = pattern.substr(0, open);
  const std::string_view after = pattern.substr(open + 2);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
      !path.ends_with(after))
    return std::nullopt;
  const std::string_view argument =
      path.substr(before.size(), path.size() - before.size() - after.size());
  return argument.find('/') == std::string_view::npos ? std::optional(argument) : std::nullopt;
}

}  // namespace

std::span<const Route> routes() noexcept { return kRoutes; }

Found find_route(std::string_view method, std::string_view path) {
  Found found;
  for (const Route& route : kRoutes) {
    const std::optional<std::string_view> argument = match(route.path, path);
    if (!argument) continue;
    if (!found.allowed.empty()) found.allowed += ", ";
    found.allowed += route.method == "GET" ? "GET, HEAD" : route.method;
    if (route.method != method && (route.method != "GET" || method != "HEAD")) continue;
    found.route = &route;
    found.argument = *argument;
  }
  return found;
}

std::string_view nearest_path(std::string_view path) {
  std::vector<std::string_view> paths;
  for (const Route& route : kRoutes)
    if (route.method == "GET") paths.push_back(route.path);  // never an order by mistake
  return nearest(path, paths).value_or(std::string_view());
}

}  // namespace penstock::admin
