#include "gateway/token_caller.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "crypto/sha256.h"
#include "gateway/attempt_error.h"
#include "gateway/key_desk.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "identity/claims.h"
#include "identity/token.h"
#include "identity/token_cache.h"
#include "identity/verify_token.h"
#include "policy/posture.h"

namespace penstock::gateway {

using identity::Claims;
using runtime::Task;

namespace {

std::unexpected<Error> unauthenticated(std::string message) {
  return fail(ErrorCode::kUnauthenticated, std::move(message));
}

// Verifies a token that this worker sees for the first time. nullopt: its key is not here.
std::optional<Result<Principal>> verify(RequestScope& scope, std::string_view text,
                                        const crypto::Sha256Digest& digest) {
  Worker& worker = scope.worker;
  const KeysInForce& keys = worker.keys;
  const Result<identity::Token> token = identity::read_token(text);
  if (!token) return std::unexpected(token.error());
  if (!keys.usable(scope.now())) return std::nullopt;
  std::optional<Result<identity::VerifiedToken>> verified = identity::verify_token(
      *token, *keys.set, *scope.snapshot->token_rules, worker.loop.clock().wall());
  if (!verified) return std::nullopt;
  if (!*verified) return std::unexpected(std::move(*verified).error());
  const auto& [claims, key] = **verified;
  return principal_of(*scope.snapshot, worker.tokens.put(digest, key, keys.version, claims));
}

}  // namespace

Result<Principal> principal_of(const Snapshot& snapshot, const Claims& claims) {
  const auto tenant = snapshot.tenants.find(claims.tenant);
  if (tenant == snapshot.tenants.end()) return unauthenticated("The token's tenant is not known.");
  const auto& [name, its] = *tenant;
  if (!claims.workload && its.workloads.size() != 1)
    return unauthenticated("The token names no workload, and its tenant has not exactly one.");
  const auto workload =
      claims.workload ? its.workloads.find(*claims.workload) : its.workloads.begin();
  if (workload == its.workloads.end()) return unauthenticated("The token's workload is not known.");
  return Principal{.tenant = name,
                   .workload = workload->first,
                   .key_id = {},
                   .tier = std::max(its.tier, claims.tier.value_or(its.tier))};
}

std::optional<Result<Principal>> token_caller(RequestScope& scope, std::string_view token) {
  Worker& worker = scope.worker;
  worker.process.key_desk.update(worker.keys);
  worker.tokens.use(scope.snapshot->token_rules);
  const crypto::Sha256Digest digest = crypto::sha256(token);
  if (worker.keys.usable(scope.now())) {
    const Claims* const claims = worker.tokens.find(digest, *worker.keys.set, worker.keys.version,
                                                    worker.loop.clock().wall());
    if (claims != nullptr) return principal_of(*scope.snapshot, *claims);
  }
  return verify(scope, token, digest);
}

Task<Result<Principal>> token_caller_later(RequestScope& scope, std::string_view token) {
  Worker& worker = scope.worker;
  std::optional<std::string> kid;
  if (worker.keys.usable(scope.now())) {
    Result<identity::Token> read = identity::read_token(token);
    if (!read) co_return fail(std::move(read).error());
    kid = std::move(read->kid);
  }
  const TimePoint began = scope.now();
  const KeyDesk::WaitEnd end = co_await worker.process.key_desk.wait(
      worker.loop, scope.exchange.cancellation(), std::move(kid));
  scope.waited += scope.now() - began;
  if (end == KeyDesk::WaitEnd::kStopped) co_return fail(stopped());
  if (std::optional<Result<Principal>> caller = token_caller(scope, token))
    co_return *std::move(caller);
  if (!worker.keys.usable(scope.now()))
    co_return fail(policy::refusal_code(policy::Failure::kKeySetAway),
                   "The issuer's keys are not at hand.");
  if (end == KeyDesk::WaitEnd::kFull)
    co_return fail(ErrorCode::kStoreUnavailable, "Too many requests wait for the issuer's keys.");
  co_return unauthenticated("The token is signed with a key that its issuer does not have.");
}

}  // namespace penstock::gateway
