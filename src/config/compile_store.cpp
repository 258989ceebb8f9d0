#include "config/compile_store.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/secret.h"
#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/secrets.h"
#include "net/tls.h"
#include "store/redis/endpoint.h"
#include "store/store_config.h"

namespace penstock::config {

namespace {

using Endpoint = std::shared_ptr<const store::redis::Endpoint>;

// ca: what `store.redis.tls.ca` names; null: there is none.
Result<Endpoint> endpoint_of(const Secret& url, const Secret* ca) {
  PENSTOCK_TRY(store::redis::Endpoint parsed, store::redis::parse_redis_url(url));
  auto endpoint = std::make_shared<store::redis::Endpoint>(std::move(parsed));
  if (!endpoint->encrypted) {
    if (ca != nullptr)
      return fail(ErrorCode::kInvalidRequest,
                  "store.redis.tls is for a rediss:// URL, and this one is redis://");
    return endpoint;
  }
  PENSTOCK_TRY(endpoint->tls, net::TlsClient::create(ca != nullptr ? ca->reveal() : std::string()));
  return endpoint;
}

bool uses_redis(const Config& config) {
  return config.store.quota.kind == store::QuotaKind::kRedis;
}

}  // namespace

Result<Endpoint> compile_redis(const Config& config, const SecretSource& secrets) {
  const store::RedisConfig& redis = config.store.redis;
  if (!uses_redis(config)) return nullptr;
  PENSTOCK_TRY(const Secret url, resolve(redis.url, secrets));
  if (!redis.tls) return endpoint_of(url, nullptr);
  PENSTOCK_TRY(const Secret ca, resolve(redis.tls->ca, secrets));
  return endpoint_of(url, &ca);
}

void check_redis(const Config& config, const Origins& origins, const SecretSource& secrets,
                 std::vector<Problem>& problems) {
  const store::RedisConfig& redis = config.store.redis;
  if (!uses_redis(config) || redis.url.empty()) return;
  const Result<Secret> url = resolve(redis.url, secrets);
  const Result<Secret> ca = redis.tls ? resolve(redis.tls->ca, secrets) : Result<Secret>();
  if (!url || !ca) return;  // told already
  const Result<Endpoint> endpoint = endpoint_of(*url, redis.tls ? &*ca : nullptr);
  if (endpoint) return;
  constexpr std::string_view kPath = "store.redis.url";
  problems.push_back({origins.nearest(std::string(kPath)),
                      std::string(kPath).append(": ").append(endpoint.error().message), ""});
}

}  // namespace penstock::config
