#pragma once

#include "gateway/key_keeper.h"
#include "identity/auth_config.h"
#include "net/tls.h"
#include "telemetry/key_set_metrics.h"

namespace penstock::app {

// How the keys of the configured issuer are kept.
// tls: for an https URL; outlives the keeper.
[[nodiscard]] gateway::KeyKeeperOptions key_keeper_options(const identity::JwtConfig& config,
                                                           const net::TlsClient* tls);

// What metrics read of it. On the scrape's thread, which is the keeper's; it outlives the reads.
[[nodiscard]] telemetry::KeySetReads key_set_reads(const gateway::KeyKeeper& keeper);

}  // namespace penstock::app
