#include "gateway/routing.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/nearest.h"
#include "base/result.h"
#include "fleet/target.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {
namespace {

constexpr std::size_t kExplicitMax = 256;  // of `provider/model`
constexpr std::size_t kShownMax = 64;      // of a name that a client made up

Error not_served() {
  return Error(ErrorCode::kModelNotFound, "The provider asked for does not serve this model.");
}

// Leaves of the model's targets and fallbacks those of one provider, whatever their weight.
Result<Route> keep_only(const Snapshot& snapshot, const Model& model, std::string_view provider) {
  Route route{.model = &model};
  for (fleet::Target target : model.targets) {
    if (snapshot.providers[target.provider].name != provider) continue;
    target.weight = std::max(target.weight, 1U);
    route.name(std::move(target));
  }
  if (route.named.empty()) return fail(not_served());
  return route;
}

}  // namespace

Error model_not_found(const Snapshot& snapshot, std::string_view model) {
  Error error(ErrorCode::kModelNotFound);
  error.param = "model";
  error.message = "The model \"" + std::string(model.substr(0, kShownMax)) +
                  (model.size() > kShownMax ? "…\" does not exist." : "\" does not exist.");
  if (model.size() > kShownMax) return error;
  const std::vector<std::string_view> names(snapshot.model_names.begin(),
                                            snapshot.model_names.end());
  if (const std::optional<std::string_view> near = nearest(model, names))
    error.hint = "Did you mean \"" + std::string(*near) + "\"?";
  return error;
}

Result<Route> route_of(const Snapshot& snapshot, std::string_view model,
                       std::optional<std::string_view> provider) {
  if (const auto known = snapshot.models.find(model); known != snapshot.models.end()) {
    if (provider) return keep_only(snapshot, known->second, *provider);
    return Route{.model = &known->second};
  }
  const std::size_t slash = model.find('/');
  const bool sane = model.size() <= kExplicitMax;  // it goes into headers
  if (sane && slash != std::string_view::npos && slash + 1 < model.size()) {
    const auto named = snapshot.provider_index.find(model.substr(0, slash));
    if (named != snapshot.provider_index.end()) {
      if (provider && *provider != named->first) return fail(not_served());
      Route route;
      route.name({.provider = named->second, .model = std::string(model.substr(slash + 1))});
      return route;
    }
  }
  return fail(model_not_found(snapshot, model));
}

Result<void> find_route(RequestScope& scope) {
  const auto known = scope.snapshot->models.find(scope.request.model);
  if (known != scope.snapshot->models.end())
    scope.route.model = &known->second;  // refused or not: the metrics name it
  PENSTOCK_TRY(scope.route, route_of(*scope.snapshot, scope.request.model,
                                     scope.exchange.head().headers.find("x-penstock-provider")));
  return {};
}

}  // namespace penstock::gateway
