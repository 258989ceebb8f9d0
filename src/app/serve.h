#pragma once

#include <functional>
#include <string>

#include "base/seams.h"
#include "config/load.h"

namespace penstock::app {

// Called once the gateway listens, with the addresses bound.
using OnListening = std::function<void(const std::string& data, const std::string& admin)>;

// Serves a config until a signal ends it. At SIGHUP the file is read anew from `disk`. Returns the
// exit code: 0 after a proper end, 1 when it could not start or requests had to be cut, 78 for a
// config that only its secrets show to be wrong.
[[nodiscard]] int serve(const config::LoadResult& loaded, const Disk& disk,
                        const SecretSource& secrets, const OnListening& on_listening);

// `penstock serve -c FILE`: loads, reports every problem, serves.
[[nodiscard]] int serve_file(const std::string& path);

}  // namespace penstock::app
