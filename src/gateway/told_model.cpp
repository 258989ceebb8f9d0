#include "gateway/told_model.h"

#include <cstddef>
#include <optional>
#include <string>

#include "gateway/redaction.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "policy/redact_config.h"
#include "policy/stream_redactor.h"

namespace penstock::gateway {
namespace {

constexpr std::size_t kToldMax = 256;  // as the access log cuts, and as `provider/model` may have

}  // namespace

std::optional<std::string> told_model(const RequestScope& scope) {
  const WorkloadRedaction* const redaction = redaction_of(scope, policy::Direction::kRequest);
  if (redaction == nullptr) return std::nullopt;
  if (scope.request.model.size() > kToldMax) return "[long name]";
  policy::Tally uncounted{};
  std::string masked;
  if (!policy::mask_text(redaction->redactor, policy::Writing::kPlain, scope.request.model,
                         uncounted, masked))
    return std::nullopt;
  return masked;
}

}  // namespace penstock::gateway
