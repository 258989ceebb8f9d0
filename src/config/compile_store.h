#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "base/seams.h"
#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"
#include "store/redis/endpoint.h"

namespace penstock::config {

// Where the config's Redis is; nullptr when nothing is kept there.
// errors: kInvalidRequest for what only reading the secrets can tell: a URL or a CA that is none.
// The message holds nothing of the URL.
[[nodiscard]] Result<std::shared_ptr<const store::redis::Endpoint>> compile_redis(
    const Config& config, const SecretSource& secrets);

// Adds a problem for a Redis URL that is there and cannot be used.
void check_redis(const Config& config, const Origins& origins, const SecretSource& secrets,
                 std::vector<Problem>& problems);

}  // namespace penstock::config
