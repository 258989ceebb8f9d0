#include "gateway/models_reply.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/openai/models.h"
#include "gateway/reply_head.h"
#include "gateway/routing.h"
#include "wire/head_writer.h"

namespace penstock::gateway {

using dialect::openai::ModelRow;

runtime::Task<Result<void>> reply_models(RequestScope& scope) {
  const Snapshot& snapshot = *scope.snapshot;
  std::string body;
  if (scope.surface == dialect::Surface::kModel) {
    const auto model = snapshot.models.find(scope.surface_argument);
    if (model == snapshot.models.end())
      co_return fail(model_not_found(snapshot, scope.surface_argument));
    body = dialect::openai::model_body({.id = model->second.name, .created = snapshot.created});
  } else {
    std::vector<ModelRow> rows;
    for (const std::string& name : snapshot.model_names)
      rows.push_back({.id = name, .created = snapshot.created});
    body = dialect::openai::models_body(rows);
  }
  std::string head;
  wire::append_status_line(head, 200);
  wire::append_header(head, "content-type", "application/json");
  append_own_fields(head, scope, Told::kNothing);
  scope.rejected_at.reset();
  scope.status = 200;
  scope.stop = "complete";
  const std::array<std::string_view, 1> pieces{body};
  ignore(co_await scope.exchange.reply(std::move(head), pieces), "a client that left is settled");
  co_return Result<void>();
}

}  // namespace penstock::gateway
