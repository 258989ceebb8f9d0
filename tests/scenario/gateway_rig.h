#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admin/admin.h"
#include "app/control_ticker.h"
#include "app/live_gateway_config.h"
#include "base/metric_shards.h"
#include "base/metric_source.h"
#include "base/seams.h"
#include "config/load.h"
#include "fleet/prober.h"
#include "fleet/replica_state.h"
#include "gateway/key_keeper.h"
#include "gateway/pipeline.h"
#include "gateway/worker.h"
#include "net/byte_stream.h"
#include "net/connection_permits.h"
#include "net/http_server.h"
#include "runtime/task_group.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"
#include "tests/support/memory_files.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {

// Keeps a log's lines.
class KeptLog final : public LogSink {
 public:
  void write(std::string_view line) noexcept override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

// A whole gateway with one worker on connections in memory and virtual time, as app/ wires it. Its
// one usual provider is at "up:8000".
class GatewayRig {
 public:
  static constexpr const char* kPlace = "up:8000";
  // The issuer of tokens, where `auth.jwt.jwks` is http://localhost:9000/jwks.
  static constexpr const char* kIssuerPlace = "localhost:9000";
  static constexpr std::uint64_t kSeed = 20250101;

  // config, provider: as in Scenario; `env:ADMIN` is "sesame", `file:prompt.txt` a text. What
  // cannot be loaded fails the test; see ok().
  GatewayRig(std::string_view config, std::string_view provider,
             test::LoopbackOptions to_provider = test::LoopbackOptions(),
             test::LoopbackOptions from_provider = test::LoopbackOptions(),
             std::uint64_t seed = kSeed);
  GatewayRig(const GatewayRig&) = delete;
  GatewayRig& operator=(const GatewayRig&) = delete;
  ~GatewayRig();

  [[nodiscard]] bool ok() const noexcept { return worker_ != nullptr; }
  [[nodiscard]] test::LoopbackPair connect(test::LoopbackOptions to_client);
  // A connection to the admin plane.
  [[nodiscard]] std::unique_ptr<net::ByteStream> connect_admin();
  // The steps of leaving: as a signal does it, at the end of drain.settle, and at that of
  // drain.timeout.
  void begin_to_drain();
  void close_idle();
  void shut_down();
  // Begins what the control thread does beside: probes, and a look at paces and amplification once
  // a second. Until expect_settled().
  void start_control();
  // Nothing may be in flight, charged, armed or open any more but idle connections; then ends
  // those too and looks again. Once, when all clients have left.
  void expect_settled();

  [[nodiscard]] std::string metrics() const;
  [[nodiscard]] net::ConnectionPermits& permits() const {
    return *config_->snapshot()->providers.front().permits;
  }
  [[nodiscard]] fleet::ReplicaState& replica() const {
    return config_->snapshot()->providers.front().state->replicas.front();
  }
  // Limits are shared through this store from now on; it outlives the rig's last request.
  void share_quotas(store::QuotaStore& quotas) noexcept { worker_->quotas = &quotas; }
  [[nodiscard]] gateway::LimitState& tenant_state(const std::string& name) const {
    return *config_->snapshot()->tenants.at(name).limits.state;
  }
  [[nodiscard]] gateway::Process& process() noexcept { return *process_; }

  test::ManualLoop loop;
  test::LoopbackNet net{loop};
  test::ScriptedUpstream upstream;
  test::ScriptedUpstream issuer{loop, net, kIssuerPlace};
  KeptLog log;
  KeptLog operators_log;
  KeptLog audit_log;

 private:
  void start_admin(std::string token);
  void stop_control();

  support::MemoryDisk disk_;
  support::MemorySecrets secrets_;
  std::unique_ptr<gateway::Process> process_;
  std::unique_ptr<app::LiveGatewayConfig> config_;
  std::unique_ptr<gateway::Worker> worker_;
  std::unique_ptr<gateway::Pipeline> pipeline_;
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<ShardedSource<telemetry::GatewayMetrics>> shards_;
  CallbackSource callbacks_;
  std::vector<const MetricSource*> sources_;
  std::unique_ptr<fleet::Prober> prober_;
  std::unique_ptr<gateway::KeyKeeper> key_keeper_;
  std::unique_ptr<app::ControlTicker> ticker_;
  std::unique_ptr<admin::Admin> admin_;
  std::unique_ptr<net::HttpServer> admin_server_;
  runtime::TaskGroup closing_;
};

}  // namespace penstock::scenario
