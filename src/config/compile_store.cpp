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

Result<std::shared_ptr<const store::redis::Endpoint>> compile_redis(const Config& config,
                                                                    const SecretSource& secrets) {
  const store::RedisConfig& redis = config.store.redis;
  std::shared_ptr<store::redis::Endpoint> endpoint;
  if (config.store.quota.kind != store::QuotaKind::kRedis) return endpoint;
  PENSTOCK_TRY(const Secret url, resolve(redis.url, secrets));
  PENSTOCK_TRY(store::redis::Endpoint parsed, store::redis::parse_redis_url(url));
  endpoint = std::make_shared<store::redis::Endpoint>(std::move(parsed));
  if (!endpoint->encrypted) {
    if (redis.tls)
      return fail(ErrorCode::kInvalidRequest,
                  "store.redis.tls is for a rediss:// URL, and this one is redis://");
    return endpoint;
  }
  std::string trusted;
  if (redis.tls) {
    PENSTOCK_TRY(const Secret pem, resolve(redis.tls->ca, secrets));
    trusted = pem.reveal();
  }
  PENSTOCK_TRY(endpoint->tls, net::TlsClient::create(trusted));
  return endpoint;
}

void check_redis(const Config& config, const Origins& origins, const SecretSource& secrets,
                 std::vector<Problem>& problems) {
  const store::RedisConfig& redis = config.store.redis;
  if (redis.url.empty() || !resolve(redis.url, secrets)) return;  // told already
  if (redis.tls && !resolve(redis.tls->ca, secrets)) return;
  const auto endpoint = compile_redis(config, secrets);
  if (endpoint) return;
  constexpr std::string_view kPath = "store.redis.url";
  problems.push_back({origins.nearest(std::string(kPath)),
                      std::string(kPath).append(": ").append(endpoint.error().message), ""});
}

}  // namespace penstock::config
