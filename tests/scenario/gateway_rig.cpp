#include "tests/scenario/gateway_rig.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "admin/admin.h"
#include "admin/plane.h"
#include "app/control_ticker.h"
#include "app/key_keeping.h"
#include "app/live_gateway_config.h"
#include "app/provider_reads.h"
#include "app/server_options.h"
#include "base/metric_shards.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/units.h"
#include "config/config.h"
#include "config/load.h"
#include "fleet/prober.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "gateway/key_keeper.h"
#include "gateway/pipeline.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "identity/auth_config.h"
#include "net/byte_stream.h"
#include "net/http_server.h"
#include "runtime/task.h"
#include "runtime/timer.h"
#include "telemetry/exposition.h"
#include "telemetry/gateway_metrics.h"
#include "tests/support/loopback.h"
#include "tests/support/memory_files.h"
#include "tests/support/seeded_rng.h"

namespace penstock::scenario {
namespace {

// The sections that a scenario does not name itself.
std::string whole_config(std::string_view given, std::string_view provider) {
  const std::array<std::pair<std::string_view, std::string>, 6> usual{{
      {"version:", "version: 1\n"},
      {"listen:", "listen: {}\n"},
      {"auth:", "auth: { mode: dev }\n"},
      {"retry:", "retry: { attempts_max: 1 }\n"},  // what becomes of one attempt
      {"providers:",
       "providers:\n  p: { dialect: openai, replicas: [ http://up:8000 ], key: env:KEY" +
           (provider.empty() ? std::string() : ", " + std::string(provider)) + " }\n"},
      {"models:", "models:\n  m: { targets: [ { provider: p, model: up } ] }\n"},
  }};
  std::string text;
  for (const auto& [key, section] : usual) {
    const std::string at_line = "\n" + std::string(key);
    if (!given.starts_with(key) && given.find(at_line) == std::string_view::npos) text += section;
  }
  return text + std::string(given);
}

runtime::Task<void> close_pools(gateway::Worker& worker) {
  for (const auto& pool : worker.pools) co_await pool->close();
}

}  // namespace

GatewayRig::GatewayRig(std::string_view config, std::string_view provider,
                       test::LoopbackOptions to_provider, test::LoopbackOptions from_provider,
                       std::uint64_t seed)
    : upstream(loop, net, kPlace, to_provider, from_provider) {
  secrets_.put("env:KEY", "sk-provider");
  secrets_.put("env:ADMIN", "sesame");
  secrets_.put("env:REDIS", "redis://127.0.0.1:6379");
  secrets_.put("file:prompt.txt", "Be \"kind\".\nGrüße");
  disk_.put("penstock.yaml", whole_config(config, provider));
  const config::LoadResult loaded = config::load("penstock.yaml", disk_, secrets_);
  for (const std::string& line : config::rendered(loaded.problems, loaded.file))
    ADD_FAILURE() << line;
  if (!loaded.ok()) return;
  process_ = std::make_unique<gateway::Process>(loaded.config.limits, loaded.config.admission);
  config_ = std::make_unique<app::LiveGatewayConfig>(loaded, disk_, secrets_, *process_, loop,
                                                     operators_log);
  if (const Result<void> prepared = config_->prepare(); !prepared) {
    ADD_FAILURE() << prepared.error().message;
    return;
  }
  worker_ = std::make_unique<gateway::Worker>(
      *process_, loop, net, std::make_unique<test::SeededRng>(seed),
      gateway::Logs{log, operators_log, audit_log}, config_->snapshot());
  pipeline_ = std::make_unique<gateway::Pipeline>(*worker_);
  server_ = std::make_unique<net::HttpServer>(loop, *pipeline_, app::server_options(loaded.config));
  shards_ = std::make_unique<ShardedSource<telemetry::GatewayMetrics>>(
      std::vector<const telemetry::GatewayMetrics*>{&worker_->metrics}, process_->labels);
  if (identity::takes_tokens(loaded.config.auth.mode)) {
    key_keeper_ = std::make_unique<gateway::KeyKeeper>(
        loop, net, std::make_unique<test::SeededRng>(seed), operators_log, process_->key_desk,
        app::key_keeper_options(*loaded.config.auth.jwt, nullptr));
    key_keeper_->start();
  }
  start_admin(loaded.config.admin.token.empty() ? "" : "sesame");
  process_->ready.store(true);
}

void GatewayRig::start_admin(std::string token) {
  config_->publish_with([this](const auto& snapshot, const auto& adopted) {
    if (ticker_) ticker_->set_snapshot(snapshot);
    loop.post([this, snapshot, adopted] {
      worker_->adopt(snapshot);
      adopted();
    });
  });
  config_->renew_with([](const config::Config&) { return Result<void>(); });
  telemetry::add_provider_rows(callbacks_, app::provider_reads(*config_->snapshot(), loop.clock()));
  sources_ = {shards_.get(), &callbacks_};
  admin_ = std::make_unique<admin::Admin>(admin::Plane{.process = *process_,
                                                       .clock = loop.clock(),
                                                       .sources = sources_,
                                                       .config = *config_,
                                                       .audit_log = audit_log,
                                                       .drain = [this] { begin_to_drain(); },
                                                       .about = {.version = "0",
                                                                 .config_file = "penstock.yaml",
                                                                 .workers = 1,
                                                                 .started = loop.now()}},
                                          Secret(std::move(token)));
  admin_server_ = std::make_unique<net::HttpServer>(loop, *admin_, net::ServerOptions());
}

GatewayRig::~GatewayRig() { loop.run_until_idle(); }

test::LoopbackPair GatewayRig::connect(test::LoopbackOptions to_client) {
  test::LoopbackPair pair = loopback(loop, test::LoopbackOptions(), to_client);
  server_->accept(std::move(pair.server));
  return pair;
}

void GatewayRig::begin_to_drain() {
  process_->draining.store(true);
  server_->close_after_replies();
}

void GatewayRig::close_idle() { server_->close_idle(); }

std::unique_ptr<net::ByteStream> GatewayRig::connect_admin() {
  test::LoopbackPair pair = loopback(loop, test::LoopbackOptions(), test::LoopbackOptions());
  admin_server_->accept(std::move(pair.server));
  return std::move(pair.client);
}

void GatewayRig::shut_down() {
  process_->draining.store(true);
  server_->shut_down();
}

void GatewayRig::start_control() {
  const std::shared_ptr<const gateway::Snapshot> snapshot = config_->snapshot();
  prober_ = std::make_unique<fleet::Prober>(loop, net, std::make_unique<test::SeededRng>(kSeed),
                                            operators_log);
  prober_->start(
      std::shared_ptr<const std::vector<fleet::Provider>>(snapshot, &snapshot->providers));
  ticker_ = std::make_unique<app::ControlTicker>(
      loop, operators_log, std::vector<const telemetry::GatewayMetrics*>{&worker_->metrics},
      snapshot);
}

void GatewayRig::stop_control() {
  ticker_.reset();
  if (prober_ != nullptr) closing_.spawn(prober_->close());
  if (key_keeper_ != nullptr) closing_.spawn(key_keeper_->close());
  loop.advance(2 * runtime::TimerWheel::kTick);  // whoever waits is woken within a tick
  EXPECT_EQ(closing_.running(), 0U);
  prober_.reset();
  key_keeper_.reset();
}

void GatewayRig::expect_settled() {
  stop_control();
  loop.advance(3s);  // a server lingers for 2 s behind a body that it refused
  std::size_t idle = 0;
  for (const fleet::Provider& provider : config_->snapshot()->providers) {
    EXPECT_EQ(provider.permits->taken(), provider.permits->idle.load()) << provider.name;
    EXPECT_EQ(provider.permits->waiting(), 0U) << provider.name;
    idle += provider.permits->idle.load();
    EXPECT_EQ(provider.state->in_flight.in_flight(), 0U) << provider.name;
    for (const fleet::ReplicaState& replica : provider.state->replicas) {
      EXPECT_EQ(replica.in_flight.load(), 0U) << provider.name;
      EXPECT_EQ(replica.breaker.probes(), 0U) << provider.name;
    }
  }
  EXPECT_EQ(net.open(), idle);
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_EQ(admin_server_->connections(), 0U);
  EXPECT_EQ(loop.timers().armed(), idle) << "only idle connections may have a timer";
  EXPECT_EQ(process_->in_flight.in_flight(), 0U);
  EXPECT_EQ(process_->waiting_room.waiting(), 0U);
  for (const auto& [name, tenant] : config_->snapshot()->tenants) {
    if (tenant.limits.in_flight) EXPECT_EQ(tenant.limits.state->in_flight.in_flight(), 0U) << name;
    for (const auto& [workload, its] : tenant.workloads)
      if (its.limits.in_flight)
        EXPECT_EQ(its.limits.state->in_flight.in_flight(), 0U) << name << '/' << workload;
  }
  EXPECT_EQ(process_->body_memory.used(), 0_B);
  server_->abort();
  closing_.spawn(close_pools(*worker_));
  loop.run_until_idle();
  EXPECT_EQ(closing_.running(), 0U);
  EXPECT_EQ(net.open(), 0U);
  EXPECT_EQ(permits().taken(), 0U);
  EXPECT_EQ(loop.timers().armed(), 0U);
}

std::string GatewayRig::metrics() const { return telemetry::render_exposition(sources_); }

}  // namespace penstock::scenario
