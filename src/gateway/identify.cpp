#include "gateway/identify.h"

#include <optional>
#include <string_view>

#include "base/address.h"
#include "base/error_code.h"
#include "base/label.h"
#include "base/principal.h"
#include "base/result.h"
#include "gateway/request_scope.h"
#include "identity/auth_config.h"
#include "identity/credentials.h"
#include "wire/header_list.h"

namespace penstock::gateway {
namespace {

// Takes one value of a header that may stand once; says when another one differs.
void take(std::optional<std::string_view>& into, std::string_view value,
          identity::Credentials& credentials) {
  if (into && *into != value) credentials.repeats = identity::Repeats::kDiffer;
  into = value;
}

identity::Credentials credentials_of(const wire::HeaderList& headers) {
  identity::Credentials credentials;
  for (const wire::Header& header : headers) {
    switch (header.name.size()) {
      case 7:
        if (wire::equals_ignore_case(header.name, "api-key"))
          take(credentials.api_key, header.value, credentials);
        break;
      case 9:
        if (wire::equals_ignore_case(header.name, "x-api-key"))
          take(credentials.x_api_key, header.value, credentials);
        break;
      case 13:
        if (wire::equals_ignore_case(header.name, "authorization")) {
          credentials.authorization = header.value;
          ++credentials.authorization_count;
        }
        break;
      case 14:
        if (wire::equals_ignore_case(header.name, "x-goog-api-key"))
          take(credentials.x_goog_api_key, header.value, credentials);
        break;
      default: break;
    }
  }
  return credentials;
}

void set_labels(RequestScope& scope, const Principal& principal) {
  if (principal.tenant.empty()) return;
  const auto tenant = scope.snapshot->tenants.find(principal.tenant);
  if (tenant == scope.snapshot->tenants.end()) {
    scope.tenant = kOtherLabel;
    return;
  }
  scope.tenant = tenant->second.label;
  if (principal.workload.empty()) return;
  const auto workload = tenant->second.workloads.find(principal.workload);
  scope.workload = workload == tenant->second.workloads.end() ? kOtherLabel : workload->second;
}

}  // namespace

Principal dev_principal(const Snapshot& snapshot, std::string_view tenant) {
  Principal principal;
  principal.tenant = tenant;
  const auto known = snapshot.tenants.find(tenant);
  if (known != snapshot.tenants.end()) principal.tier = known->second.tier;
  return principal;
}

Result<Principal> identify(RequestScope& scope) {
  const wire::HeaderList& headers = scope.exchange.head().headers;
  Principal principal;
  if (scope.snapshot->auth == identity::AuthMode::kDev) {
    // Any page in this machine's browser could else spend the keys that it serves with.
    if (const auto origin = headers.find("origin"); origin && !is_loopback_origin(*origin))
      return fail(ErrorCode::kUnauthenticated, "In dev mode web pages may not call.");
    principal =
        dev_principal(*scope.snapshot, headers.find("x-tenant-id").value_or(std::string_view()));
  } else {
    PENSTOCK_TRY(principal, scope.snapshot->keys->identify(credentials_of(headers),
                                                           scope.worker.loop.clock().wall()));
  }
  set_labels(scope, principal);
  return principal;
}

}  // namespace penstock::gateway
