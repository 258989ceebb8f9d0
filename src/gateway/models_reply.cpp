#include "gateway/models_reply.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_code.h"
#include "base/percent.h"
#include "base/result.h"
#include "dialect/openai/models.h"
#include "dialect/surface.h"
#include "gateway/access.h"
#include "gateway/own_reply.h"
#include "gateway/policy.h"
#include "gateway/request_scope.h"
#include "gateway/routing.h"
#include "gateway/snapshot.h"
#include "runtime/task.h"
#include "telemetry/labels.h"

namespace penstock::gateway {

using dialect::openai::ModelRow;

runtime::Task<Result<void>> reply_models(RequestScope& scope) {
  const Snapshot& snapshot = *scope.snapshot;
  const Access access = access_of(scope);
  scope.rejected_at = telemetry::RejectionStage::kRoute;
  if (scope.surface == dialect::Surface::kModel) {
    const std::optional<std::string> name = percent_decoded(scope.surface_argument);
    if (!name) co_return fail(ErrorCode::kInvalidRequest, "The path has a broken %-escape.");
    const auto model = snapshot.models.find(*name);
    if (model == snapshot.models.end()) co_return fail(model_not_found(*name, access));
    scope.route.model = &model->second;
    PENSTOCK_CO_CHECK(judge_model(scope));
    const ModelRow row{.id = model->second.name, .created = snapshot.created};
    co_return co_await reply_json(scope, dialect::openai::model_body(row));
  }
  std::vector<ModelRow> rows;
  for (const std::string_view name : access.models())
    rows.push_back({.id = name, .created = snapshot.created});
  co_return co_await reply_json(scope, dialect::openai::models_body(rows));
}

}  // namespace penstock::gateway
