#include "config/config.h"
#include "config/path.h"
#include "config/validate.h"
#include "store/store_config.h"

namespace penstock::config {

void validate_store(const Config& config, const Origins& origins, Findings& findings) {
  const store::StoreConfig& store = config.store;
  const bool in_redis = store.quota.kind == store::QuotaKind::kRedis;
  if (in_redis && store.redis.url.empty())
    findings.problems.push_back({origins.nearest("store.quota.kind"),
                                 "store.quota.kind: redis needs store.redis.url",
                                 "such as store: { redis: { url: env:REDIS_URL } }"});
  if (!in_redis && !store.redis.url.empty())
    findings.warnings.push_back({origins.nearest("store.redis.url"),
                                 "store.redis.url: nothing is kept in Redis",
                                 "store.quota.kind: redis shares quotas between gateways"});
}

}  // namespace penstock::config
