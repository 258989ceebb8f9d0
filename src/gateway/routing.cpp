#include "gateway/routing.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/nearest.h"
#include "base/result.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {
namespace {

constexpr std::size_t kExplicitMax = 256;  // of `provider/model`
constexpr std::size_t kShownMax = 64;      // of a name that a client made up

Error not_served() {
  return Error(ErrorCode::kModelNotFound, "The provider asked for does not serve this model.");
}

// Leaves of the model's targets and fallbacks those of one provider, whatever their weight.
Result<void> keep_only(RequestScope& scope, std::string_view provider) {
  const Snapshot& snapshot = *scope.snapshot;
  for (fleet::Target target : scope.route.model->targets) {
    if (snapshot.providers[target.provider].name != provider) continue;
    target.weight = std::max(target.weight, 1U);
    scope.route.name(std::move(target));
  }
  return scope.route.named.empty() ? Result<void>(fail(not_served())) : Result<void>();
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

Result<void> find_route(RequestScope& scope) {
  const std::optional<std::string_view> only =
      scope.exchange.head().headers.find("x-penstock-provider");
  const Snapshot& snapshot = *scope.snapshot;
  const std::string& model = scope.request.model;
  if (const auto known = snapshot.models.find(model); known != snapshot.models.end()) {
    scope.route.model = &known->second;
    return only ? keep_only(scope, *only) : Result<void>();
  }
  const std::size_t slash = model.find('/');
  const bool sane = model.size() <= kExplicitMax;  // it goes into headers
  if (sane && slash != std::string::npos && slash + 1 < model.size()) {
    const auto provider = snapshot.provider_index.find(std::string_view(model).substr(0, slash));
    if (provider != snapshot.provider_index.end()) {
      if (only && *only != provider->first) return fail(not_served());
      scope.route.name({.provider = provider->second, .model = model.substr(slash + 1)});
      return {};
    }
  }
  return fail(model_not_found(snapshot, model));
}

}  // namespace penstock::gateway
