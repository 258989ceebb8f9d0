#include "app/serve.h"

#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

#include <unistd.h>

#include <fmt/core.h>

#include "app/gateway_process.h"
#include "base/result.h"
#include "base/seams.h"
#include "config/load.h"
#include "identity/auth_config.h"
#include "runtime/signals.h"
#include "runtime/system.h"

namespace penstock::app {

int serve(const config::LoadResult& loaded, const SecretSource& secrets,
          const OnListening& on_listening) {
  ignore(runtime::raise_descriptor_limit(), "the limit is what it is");
  runtime::give_back_freed_memory();
  runtime::ignore_broken_pipes();
  GatewayProcess gateway(loaded, secrets);
  if (const Result<void> prepared = gateway.prepare(); !prepared) {
    fmt::print(stderr, "penstock: {}\n", prepared.error().message);
    return config::kExitConfig;
  }
  if (const Result<void> started = gateway.start(); !started) {
    fmt::print(stderr, "penstock: {}\n", started.error().message);
    return 1;
  }
  bool leaving = false;
  const runtime::Signals signals(gateway.loop(), {SIGTERM, SIGINT}, [&](int) {
    if (std::exchange(leaving, true)) ::_exit(1);  // the second one: at once
    gateway.leave();
  });
  on_listening(gateway.data_address(), gateway.admin_address());
  gateway.loop().run();
  // Everything has ended and the logs are written. A name server that is still being asked may take
  // half a minute to time out, and nobody waits for its answer any more.
  std::fflush(nullptr);
  ::_exit(gateway.cut_requests() ? 1 : 0);
}

int serve_file(const std::string& path) {
  const runtime::SystemSecrets secrets(".");
  const config::LoadResult loaded = config::load(path, runtime::SystemDisk(), secrets);
  for (const std::string& line : config::rendered(loaded.warnings, path))
    fmt::print(stderr, "{} (warning)\n", line);
  for (const std::string& line : config::rendered(loaded.problems, path))
    fmt::print(stderr, "{}\n", line);
  if (!loaded.ok()) return config::kExitConfig;
  return serve(loaded, secrets, [&](const std::string& data, const std::string& admin) {
    if (loaded.config.auth.mode == identity::AuthMode::kDev)
      fmt::print(stderr, "{}\n",
                 R"({"level":"warn","msg":"auth.mode is dev: anyone on this machine may call, )"
                 R"(x-tenant-id is believed"})");
    fmt::print(stderr, "{{\"msg\":\"listening\",\"data\":\"{}\",\"admin\":\"{}\"}}\n", data, admin);
  });
}

}  // namespace penstock::app
