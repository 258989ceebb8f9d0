#include "gateway/me_reply.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/principal.h"
#include "base/result.h"
#include "gateway/caller_buckets.h"
#include "gateway/caller_limits.h"
#include "gateway/own_reply.h"
#include "gateway/quota.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "json/writer.h"
#include "runtime/task.h"

namespace penstock::gateway {
namespace {

void named(json::Writer& json, std::string_view key, std::string_view name) {
  json.key(key);
  if (name.empty())
    json.null();
  else
    json.string(name);
}

// The one of its ceilings that the caller meets first.
std::optional<std::uint32_t> ceiling_of(const Caller& caller) noexcept {
  std::optional<std::uint32_t> least;
  const auto take = [&](const CallerLimits& limits) {
    if (limits.in_flight) least = std::min(least.value_or(*limits.in_flight), *limits.in_flight);
  };
  if (caller.workload != nullptr) take(caller.workload->limits);
  if (caller.tenant != nullptr) take(caller.tenant->limits);
  return least;
}

std::string body_of(const RequestScope& scope) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  named(json, "tenant", scope.principal.tenant);
  named(json, "workload", scope.principal.workload);
  named(json, "key_id", scope.principal.key_id);
  json.key("tier").string(name(scope.principal.tier)).key("limits").begin_object();
  const auto rate = [&](std::string_view key, const std::optional<RateLevel>& level) {
    if (!level) return;
    json.key(key).begin_object().key("rate").number(level->per_second);
    json.key("limit").integer(level->bucket.limit);
    json.key("remaining").integer(level->bucket.remaining);
    json.key("reset").string(reset_text(level->bucket.reset)).end_object();
  };
  rate("requests", rate_level(scope, Metered::kRequests));
  rate("tokens", rate_level(scope, Metered::kTokens));
  if (const std::optional<std::uint32_t> ceiling = ceiling_of(scope.caller))
    json.key("in_flight").integer(*ceiling);
  json.end_object().end_object();
  return out;
}

}  // namespace

runtime::Task<Result<void>> reply_me(RequestScope& scope) {
  co_return co_await reply_json(scope, body_of(scope));
}

}  // namespace penstock::gateway
