#include "app/key_keeping.h"

#include <chrono>
#include <optional>

#include "base/assert.h"
#include "base/units.h"
#include "gateway/key_keeper.h"
#include "identity/auth_config.h"
#include "identity/key_set_url.h"
#include "net/tls.h"
#include "telemetry/key_set_metrics.h"

namespace penstock::app {

gateway::KeyKeeperOptions key_keeper_options(const identity::JwtConfig& config,
                                             const net::TlsClient* tls) {
  const std::optional<identity::KeySetUrl> url = identity::parse_key_set_url(config.jwks);
  PENSTOCK_ASSERT(url.has_value());  // its row in the config has seen to it
  const bool secure = url->scheme == identity::KeySetUrl::Scheme::kHttps;
  PENSTOCK_ASSERT(!secure || tls != nullptr);
  gateway::KeyKeeperOptions options;
  options.source = {.origin = {.host = url->host, .port = url->port, .tls = secure ? tls : nullptr},
                    .authority = url->authority,
                    .target = url->target};
  options.refresh = config.refresh;
  options.keep = config.keep;
  return options;
}

telemetry::KeySetReads key_set_reads(const gateway::KeyKeeper& keeper) {
  return {.age = [&keeper]() -> std::optional<double> {
            const std::optional<Duration> age = keeper.age();
            if (!age) return std::nullopt;
            return std::chrono::duration<double>(*age).count();
          },
          .keys = [&keeper] { return static_cast<double>(keeper.keys()); },
          .fetched = [&keeper] { return static_cast<double>(keeper.fetched()); },
          .failed = [&keeper] { return static_cast<double>(keeper.failed()); }};
}

}  // namespace penstock::app
