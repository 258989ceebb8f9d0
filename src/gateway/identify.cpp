#include "gateway/identify.h"

#include <expected>
#include <optional>
#include <string_view>

#include "base/address.h"
#include "base/error_code.h"
#include "base/label.h"
#include "base/principal.h"
#include "base/result.h"
#include "control/priority.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "gateway/token_caller.h"
#include "identity/auth_config.h"
#include "identity/credentials.h"
#include "identity/key_ring.h"
#include "identity/token.h"
#include "runtime/task.h"
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

void set_caller(RequestScope& scope, const Principal& principal) {
  if (principal.tenant.empty()) return;
  scope.caller = caller_of(*scope.snapshot, principal);
  const auto& [tenant, workload, key] = scope.caller;
  scope.tenant = tenant != nullptr ? tenant->label : kOtherLabel;
  scope.priority = priority_of(scope.caller);
  if (workload != nullptr) scope.delivery = workload->delivery;
  if (tenant != nullptr && !principal.workload.empty())
    scope.workload = workload != nullptr ? workload->label : kOtherLabel;
}

Result<Principal> dev_caller(const RequestScope& scope) {
  const wire::HeaderList& headers = scope.exchange.head().headers;
  // Any page in this machine's browser could else spend the keys that it serves with.
  if (const auto origin = headers.find("origin"); origin && !is_loopback_origin(*origin))
    return fail(ErrorCode::kUnauthenticated, "In dev mode web pages may not call.");
  return dev_principal(*scope.snapshot, headers.find("x-tenant-id").value_or(std::string_view()));
}

Result<std::string_view> presented_token(const RequestScope& scope) {
  return identity::presented(credentials_of(scope.exchange.head().headers),
                             identity::kTokenBytesMax);
}

// One that is refused though its key is known is named in the logs all the same.
Result<Principal> key_caller(RequestScope& scope, std::string_view key) {
  const identity::KeyRing& keys = *scope.snapshot->keys;
  Result<Principal> known = keys.identify_key(key, scope.worker.loop.clock().wall());
  if (!known && known.error().code == ErrorCode::kKeyDisabled)
    scope.principal = keys.owner(key).value_or(Principal());
  return known;
}

std::optional<Result<Principal>> principal_of_head(RequestScope& scope) {
  const Snapshot& snapshot = *scope.snapshot;
  if (snapshot.auth == identity::AuthMode::kDev) return dev_caller(scope);
  if (!identity::takes_tokens(snapshot.auth)) {
    const Result<std::string_view> key =
        identity::presented_key(credentials_of(scope.exchange.head().headers));
    if (!key) return std::unexpected(key.error());
    return key_caller(scope, *key);
  }
  const Result<std::string_view> credential = presented_token(scope);
  if (!credential) return std::unexpected(credential.error());
  if (identity::takes_keys(snapshot.auth) && !identity::looks_like_token(*credential))
    return key_caller(scope, *credential);
  return token_caller(scope, *credential);
}

bool carries_credential(std::string_view name) noexcept {
  switch (name.size()) {
    case 7: return wire::equals_ignore_case(name, "api-key");
    case 9: return wire::equals_ignore_case(name, "x-api-key");
    case 13: return wire::equals_ignore_case(name, "authorization");
    case 14: return wire::equals_ignore_case(name, "x-goog-api-key");
    default: return false;
  }
}

}  // namespace

Caller caller_of(const Snapshot& snapshot, const Principal& principal) {
  Caller caller;
  caller.tenant = find(snapshot.tenants, principal.tenant);
  if (caller.tenant == nullptr) return caller;
  if (!caller.tenant->keys.empty()) caller.key = find(caller.tenant->keys, principal.key_id);
  if (!principal.workload.empty())
    caller.workload = find(caller.tenant->workloads, principal.workload);
  return caller;
}

control::Priority priority_of(const Caller& caller) noexcept {
  return caller.workload != nullptr ? caller.workload->priority : control::Priority::kStandard;
}

Principal dev_principal(const Snapshot& snapshot, std::string_view tenant) {
  Principal principal;
  principal.tenant = tenant;
  if (const Tenant* known = find(snapshot.tenants, tenant)) principal.tier = known->tier;
  return principal;
}

std::optional<Result<Principal>> identify(RequestScope& scope) {
  std::optional<Result<Principal>> principal = principal_of_head(scope);
  if (principal && *principal) set_caller(scope, **principal);
  return principal;
}

runtime::Task<Result<Principal>> identify_later(RequestScope& scope) {
  PENSTOCK_CO_TRY(const std::string_view token, presented_token(scope));
  PENSTOCK_CO_TRY(const Principal principal, co_await token_caller_later(scope, token));
  set_caller(scope, principal);
  co_return principal;
}

void forget_credentials(RequestScope& scope) noexcept {
  for (const wire::Header& header : scope.exchange.head().headers)
    if (carries_credential(header.name)) scope.exchange.forget(header.value);
}

}  // namespace penstock::gateway
