#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/tenants_config.h"
#include "config/validate.h"
#include "policy/redactor.h"

namespace penstock::config {

void validate_redaction(const Config& config, const Origins& origins,
                        std::vector<Problem>& problems) {
  for (const auto& [name, tenant] : config.tenants) {
    const std::string workloads = path_of(path_of("tenants", name), "workloads");
    for (const auto& [workload, its] : tenant.workloads) {
      if (!its.redact) continue;
      const Result<policy::Redactor> built = policy::Redactor::build(*its.redact);
      if (built) continue;
      std::string path = path_of(path_of(workloads, workload), "redact");
      const std::string& custom = built.error().param;
      if (!custom.empty()) path = path_of(path_of(path, "custom"), custom);
      problems.push_back(
          {origins.nearest(path), fmt::format("{}: {}", path, built.error().message), ""});
    }
  }
}

}  // namespace penstock::config
