#include "gateway/routing.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/nearest.h"
#include "base/result.h"
#include "fleet/target.h"
#include "gateway/access.h"
#include "gateway/policy.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"
#include "gateway/told_model.h"
#include "wire/header_list.h"

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
  if (route.only.empty()) return fail(not_served());
  return route;
}

// Several lines are no choice: others could read another one of them.
Result<std::optional<std::string_view>> provider_asked(const wire::HeaderList& headers) {
  constexpr std::string_view kName = "x-penstock-provider";
  const std::optional<std::string_view> asked = headers.find(kName);
  if (asked && headers.count(kName) > 1) {
    Error error(ErrorCode::kInvalidRequest, "`x-penstock-provider` must not be given twice.");
    error.param = kName;
    return fail(std::move(error));
  }
  return asked;
}

}  // namespace

Error model_not_found(std::string_view model, const Access& access) {
  Error error(ErrorCode::kModelNotFound);
  error.param = "model";
  error.message = "The model \"" + std::string(model.substr(0, kShownMax)) +
                  (model.size() > kShownMax ? "…\" does not exist." : "\" does not exist.");
  if (model.size() > kShownMax) return error;
  if (const std::optional<std::string_view> near = nearest(model, access.models()))
    error.hint = "Did you mean \"" + std::string(*near) + "\"?";
  return error;
}

Result<Route> route_of(const Snapshot& snapshot, std::string_view model,
                       std::optional<std::string_view> provider, const Access& access) {
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
  return fail(model_not_found(model, access));
}

Result<void> find_route(RequestScope& scope) {
  const Snapshot& snapshot = *scope.snapshot;
  const Access access = access_of(scope);
  const auto known = snapshot.models.find(scope.request.model);
  if (known != snapshot.models.end())
    scope.route.model = &known->second;  // refused or not: the metrics name it
  else
    scope.told_model = told_model(scope);
  PENSTOCK_TRY(const std::optional<std::string_view> provider,
               provider_asked(scope.exchange.head().headers));
  Result<Route> route = route_of(snapshot, scope.request.model, provider, access);
  if (!route && scope.route.model != nullptr) {
    PENSTOCK_CHECK(judge_model(scope));
  }
  PENSTOCK_TRY(scope.route, std::move(route));
  return {};
}

}  // namespace penstock::gateway
