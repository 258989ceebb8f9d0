#include "gateway/me_reply.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/principal.h"
#include "base/result.h"
#include "gateway/caller_buckets.h"
#include "gateway/caller_limits.h"
#include "gateway/own_ceilings.h"
#include "gateway/own_reply.h"
#include "gateway/quota.h"
#include "gateway/request_scope.h"
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
std::optional<std::uint32_t> ceiling_of(const RequestScope& scope) noexcept {
  const OwnCeilings own = own_ceilings(scope);
  std::optional<std::uint32_t> least;
  for (const OwnCeiling& ceiling : std::span(own.all).first(own.count))
    least = std::min(least.value_or(*ceiling.limits->in_flight), *ceiling.limits->in_flight);
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
  if (const std::optional<std::uint32_t> ceiling = ceiling_of(scope))
    json.key("in_flight").integer(*ceiling);
  json.end_object().end_object();
  return out;
}

}  // namespace

runtime::Task<Result<void>> reply_me(RequestScope& scope) {
  return reply_json(scope, body_of(scope));
}

}  // namespace penstock::gateway
