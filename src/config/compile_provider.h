#pragma once

#include <cstdint>
#include <string>

#include "base/address.h"
#include "base/label.h"
#include "base/result.h"
#include "base/seams.h"
#include "config/providers_config.h"
#include "fleet/provider.h"

namespace penstock::config {

// Where a replica's API begins: its URL's path, or the dialect's own where that has none.
[[nodiscard]] std::string base_path_of(const BaseUrl& url, Dialect dialect);

// Where a running provider's key comes from when its config is compiled anew.
enum class Credentials : std::uint8_t {
  kKept,  // as it was read last: a live change is no reason to read a file
  kRead,  // from its reference: the operator asked for it
};

// One provider as requests use it.
//
// before: the same provider under the config that this one replaces; its certificates, its
//         connections and what is known of its replicas are taken over. nullptr: it is new.
// errors: kInvalidRequest for a secret or a certificate that cannot be used.
[[nodiscard]] Result<fleet::Provider> compile_provider(
    const std::string& name, const ProviderConfig& config, const SecretSource& secrets,
    LabelNames& labels, const fleet::Provider* before, Credentials credentials);

}  // namespace penstock::config
