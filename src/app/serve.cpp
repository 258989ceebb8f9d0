#include "app/serve.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include <signal.h>
#include <unistd.h>

#include <fmt/core.h>

#include "app/gateway_process.h"
#include "base/result.h"
#include "base/seams.h"
#include "config/config.h"
#include "config/dead_keys.h"
#include "config/load.h"
#include "identity/auth_config.h"
#include "runtime/signals.h"
#include "runtime/system.h"

namespace penstock::app {

int serve(const config::LoadResult& loaded, const Disk& disk, const SecretSource& secrets,
          const OnListening& on_listening) {
  ignore(runtime::raise_descriptor_limit(), "the limit is what it is");
  runtime::forbid_core_dumps();
  runtime::give_back_freed_memory();
  runtime::ignore_broken_pipes();
  GatewayProcess gateway(loaded, disk, secrets);
  if (const Result<void> prepared = gateway.prepare(); !prepared) {
    fmt::print(stderr, "penstock: {}\n", prepared.error().message);
    return config::kExitConfig;
  }
  if (const Result<void> started = gateway.start(); !started) {
    fmt::print(stderr, "penstock: {}\n", started.error().message);
    return 1;
  }
  bool leaving = false;
  const runtime::Signals signals(gateway.loop(), {SIGTERM, SIGINT, SIGHUP}, [&](int number) {
    if (number == SIGHUP) return gateway.reload();
    if (std::exchange(leaving, true)) ::_exit(1);  // the second one: at once
    gateway.leave();
  });
  runtime::release_signal(SIGHUP);
  on_listening(gateway.data_address(), gateway.admin_address());
  gateway.loop().run();
  // Everything has ended and the logs are written. A name server that is still being asked may take
  // half a minute to time out, and nobody waits for its answer any more.
  std::fflush(nullptr);
  ::_exit(gateway.cut_requests() ? 1 : 0);
}

namespace {

constexpr std::uint64_t kOwnDescriptors = 356;  // docs/operations/running.md

// Accepting stops where descriptors end, which nobody would connect with the limit.
void warn_of_descriptors(const config::Config& config) {
  std::uint64_t wanted = kOwnDescriptors + config.listen.connections;
  for (const auto& [name, provider] : config.providers) wanted += provider.limits.connections;
  const std::uint64_t limit = runtime::raise_descriptor_limit();
  if (limit >= wanted) return;
  fmt::print(stderr,
             "penstock: at most {} descriptors may be open, and this config may need {}: raise the "
             "hard limit, or lower listen.connections (warning)\n",
             limit, wanted);
}

}  // namespace

int serve_file(const std::string& path) {
  runtime::hold_signal(SIGHUP);  // a reload that is asked for while we start comes behind the start
  const runtime::SystemSecrets secrets(".");
  const runtime::SystemDisk disk;
  config::LoadResult loaded = config::load(path, disk, secrets);
  config::warn_of_dead_keys(loaded, runtime::SystemClock().wall());
  for (const std::string& line : config::rendered(loaded.warnings, path))
    fmt::print(stderr, "{} (warning)\n", line);
  for (const std::string& line : config::rendered(loaded.problems, path))
    fmt::print(stderr, "{}\n", line);
  if (!loaded.ok()) return config::kExitConfig;
  warn_of_descriptors(loaded.config);
  return serve(loaded, disk, secrets, [&](const std::string& data, const std::string& admin) {
    if (loaded.config.auth.mode == identity::AuthMode::kDev)
      fmt::print(stderr, "{}\n",
                 R"({"level":"warn","msg":"auth.mode is dev: anyone on this machine may call, )"
                 R"(x-tenant-id is believed"})");
    fmt::print(stderr, "{{\"msg\":\"listening\",\"data\":\"{}\",\"admin\":\"{}\"}}\n", data, admin);
  });
}

}  // namespace penstock::app
