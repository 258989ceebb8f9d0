#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/validate.h"
#include "identity/auth_config.h"

namespace penstock::config {

using identity::AuthMode;

void validate_auth(const Config& config, const Origins& origins, Findings& findings) {
  const auto said = [&](std::string_view path, std::string_view what, std::string hint) {
    return Problem{origins.nearest(path), fmt::format("{}: {}", path, what), std::move(hint)};
  };
  const AuthMode mode = config.auth.mode;
  if (mode == AuthMode::kDev)
    for (const auto& [name, tenant] : config.tenants)
      if (!tenant.keys.empty())
        findings.problems.push_back(said(path_of(path_of("tenants", name), "keys"),
                                         "cannot stand beside mode dev, which asks for no key",
                                         "use mode keys"));
  if (!config.auth.jwt) {
    if (identity::takes_tokens(mode))
      findings.problems.push_back(
          said("auth.mode", "takes tokens, and auth.jwt does not say whose",
               "such as auth: { mode: jwt, jwt: { issuer: …, audience: …, jwks: … } }"));
    return;
  }
  if (mode == AuthMode::kDev)
    findings.problems.push_back(said("auth.jwt",
                                     "cannot stand beside mode dev, which believes any caller",
                                     "use mode jwt or keys_or_jwt"));
  if (mode == AuthMode::kKeys)
    findings.warnings.push_back(
        said("auth.jwt", "mode keys takes no tokens", "use mode jwt or keys_or_jwt"));
  if (config.auth.jwt->keep < config.auth.jwt->refresh)
    findings.problems.push_back(
        said("auth.jwt.keep",
             fmt::format("is below refresh ({}): keys would be too old before the next are fetched",
                         duration_text(config.auth.jwt->refresh)),
             ""));
  if (identity::takes_tokens(mode) && config.tenants.empty())
    findings.warnings.push_back(
        said("auth.mode", "takes tokens and there is no tenant: every call is refused", ""));
  if (mode != AuthMode::kJwt) return;
  for (const auto& [name, tenant] : config.tenants) {
    const std::string path = path_of("tenants", name);
    if (!tenant.keys.empty())
      findings.warnings.push_back(
          said(path_of(path, "keys"), "mode jwt takes no keys", "use mode keys_or_jwt"));
    if (tenant.workloads.empty())
      findings.warnings.push_back(said(path, "has no workload, so that no token can name one", ""));
  }
}

}  // namespace penstock::config
