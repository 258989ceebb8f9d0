#include "app/gateway_process.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin/admin.h"
#include "admin/audit.h"
#include "admin/plane.h"
#include "admin/running_config.h"
#include "app/ceiling_reads.h"
#include "app/control_ticker.h"
#include "app/key_keeping.h"
#include "app/provider_reads.h"
#include "app/quota_plane.h"
#include "app/server_options.h"
#include "app/version.h"
#include "app/worker_thread.h"
#include "base/address.h"
#include "base/error_code.h"
#include "base/metric_shards.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/secret.h"
#include "base/units.h"
#include "config/compile_store.h"
#include "config/load.h"
#include "config/secrets.h"
#include "fleet/prober.h"
#include "fleet/provider.h"
#include "gateway/drain.h"
#include "gateway/key_keeper.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "identity/auth_config.h"
#include "json/log_line.h"
#include "net/address.h"
#include "net/byte_stream.h"
#include "net/http_server.h"
#include "net/listen_config.h"
#include "net/listen_socket.h"
#include "net/tcp_listener.h"
#include "net/tls.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/timer.h"
#include "telemetry/gateway_metrics.h"
#include "telemetry/key_set_metrics.h"
#include "telemetry/telemetry_config.h"

namespace penstock::app {
namespace {

// For a scrape or a probe that is being answered when everything else has ended.
constexpr Duration kAdminLastWords = 100ms;
// Nobody who needs no token may take all descriptors.
constexpr std::size_t kAdminConnectionsMax = 256;

Result<net::Address> address_of(const std::string& text) {
  const std::optional<ListenAddress> parsed = parse_listen_address(text);
  if (!parsed) return fail(ErrorCode::kInvalidRequest, "\"" + text + "\" is not an address");
  const std::string host = parsed->host == "localhost" ? "127.0.0.1" : parsed->host;
  const std::optional<net::Address> address = net::parse_ip(host, parsed->port);
  if (!address) return fail(ErrorCode::kInvalidRequest, "\"" + text + "\" is not an address");
  return *address;
}

Result<std::shared_ptr<net::TlsServer>> tls_server(const net::ListenTlsConfig& config,
                                                   const SecretSource& secrets) {
  PENSTOCK_TRY(const Secret certificate, config::resolve(config.certificate, secrets));
  PENSTOCK_TRY(const Secret key, config::resolve(config.key, secrets));
  return net::TlsServer::create(certificate.reveal(), key);
}

}  // namespace

GatewayProcess::GatewayProcess(const config::LoadResult& loaded, const Disk& disk,
                               const SecretSource& secrets)
    : config_(loaded.config),
      secrets_(secrets),
      loop_(clock_),
      process_(loaded.config.limits, loaded.config.admission),
      resolver_(clock_),
      dialer_(resolver_),
      audit_sink_(audit_stream()),
      live_config_(loaded, disk, secrets, process_, loop_, log_),
      build_info_(std::string(kVersion)) {}

GatewayProcess::~GatewayProcess() = default;

Result<void> GatewayProcess::prepare() {
  PENSTOCK_CHECK(live_config_.prepare());
  if (config_.listen.tls) {
    PENSTOCK_TRY(tls_, tls_server(*config_.listen.tls, secrets_));
  }
  PENSTOCK_TRY(redis_, config::compile_redis(config_, secrets_));
  if (identity::takes_tokens(config_.auth.mode)) {
    PENSTOCK_TRY(key_tls_, net::TlsClient::create(""));
  }
  if (!config_.admin.token.empty()) {
    PENSTOCK_TRY(admin_token_, config::resolve_word(config_.admin.token, secrets_));
  }
  return {};
}

// Everything is read before anything of it is used.
Result<void> GatewayProcess::renew_secrets(const config::Config& config) {
  std::shared_ptr<net::TlsServer> tls;
  if (config.listen.tls) {
    PENSTOCK_TRY(tls, tls_server(*config.listen.tls, secrets_));
  }
  Secret token;
  if (!config.admin.token.empty()) {
    PENSTOCK_TRY(token, config::resolve_word(config.admin.token, secrets_));
  }
  if (tls != nullptr) tls_->adopt(*tls);
  admin_->set_token(std::move(token));
  return {};
}

Result<void> GatewayProcess::start() {
  // Everything that can fail comes before anything runs.
  PENSTOCK_CHECK(log_.open("stderr"));
  PENSTOCK_CHECK(access_log_.open(config_.telemetry.access_log));
  if (&audit_stream() == &audit_log_) {
    PENSTOCK_CHECK(audit_log_.open(config_.telemetry.audit_log));
  }
  const unsigned count = config_.workers.value_or(runtime::cpus_allowed());
  PENSTOCK_TRY(const net::Address data, address_of(config_.listen.data));
  PENSTOCK_TRY(net::ListenSet data_listen, net::listen_on(data, count));
  PENSTOCK_TRY(const net::Address admin, address_of(config_.listen.admin));
  PENSTOCK_TRY(net::ListenSet admin_listen, net::listen_on(admin, 1));
  data_address_ = net::to_text(data_listen.bound);
  admin_address_ = net::to_text(admin_listen.bound);
  if (redis_ != nullptr) start_quotas();
  start_key_keeper();  // workers ask it
  start_workers(std::move(data_listen));
  add_metrics();
  start_admin(std::move(admin_listen));
  start_prober();
  process_.ready.store(true);
  return {};
}

void GatewayProcess::start_quotas() {
  quotas_ = std::make_unique<QuotaPlane>(config_.store, redis_, loop_, dialer_, rng_, log_,
                                         live_config_.snapshot());
  process_.shared_quotas = &quotas_->shared();
  quotas_->start();
}

void GatewayProcess::start_workers(net::ListenSet listen) {
  const auto count = static_cast<unsigned>(listen.sockets.size());
  const net::ServerOptions server = server_options(config_);
  const net::ListenerOptions listener{.tls = tls_.get(),
                                      .handshake_wait = config_.listen.head_wait,
                                      .connections = &connections_,
                                      .connections_max = config_.listen.connections};
  for (unsigned i = 0; i < count; ++i)
    workers_.push_back(std::make_unique<WorkerThread>(WorkerParts{
        process_, clock_, dialer_, rng_.fork("worker-" + std::to_string(i)),
        gateway::Logs{access_log_, log_, audit_sink_}, live_config_.snapshot(), server, listener}));
  workers_running_ = count;
  for (unsigned i = 0; i < count; ++i) workers_[i]->start(std::move(listen.sockets[i]), i);
}

void GatewayProcess::start_admin(net::ListenSet listen) {
  live_config_.publish_with(
      [this](const auto& snapshot, auto adopted) { publish(snapshot, std::move(adopted)); });
  live_config_.renew_with([this](const config::Config& config) { return renew_secrets(config); });
  admin_ = std::make_unique<admin::Admin>(admin::Plane{.process = process_,
                                                       .clock = clock_,
                                                       .sources = sources_,
                                                       .config = live_config_,
                                                       .audit_log = audit_sink_,
                                                       .drain = [this] { leave(); },
                                                       .about = {.version = std::string(kVersion),
                                                                 .config_file = live_config_.file(),
                                                                 .workers = workers_.size(),
                                                                 .started = clock_.now()}},
                                          std::move(admin_token_));
  admin_server_ = std::make_unique<net::HttpServer>(loop_, *admin_, net::ServerOptions{});
  admin_listener_ = std::make_unique<net::TcpListener>(
      loop_, std::move(listen.sockets.front()),
      [this](std::unique_ptr<net::ByteStream> stream) { admin_server_->accept(std::move(stream)); },
      net::ListenerOptions{.connections = &admin_connections_,
                           .connections_max = kAdminConnectionsMax});
}

void GatewayProcess::start_prober() {
  prober_ = std::make_unique<fleet::Prober>(loop_, dialer_, rng_.fork("prober"), log_);
  const std::shared_ptr<const gateway::Snapshot> snapshot = live_config_.snapshot();
  prober_->start(
      std::shared_ptr<const std::vector<fleet::Provider>>(snapshot, &snapshot->providers));
}

void GatewayProcess::start_key_keeper() {
  if (!identity::takes_tokens(config_.auth.mode)) return;
  key_keeper_ = std::make_unique<gateway::KeyKeeper>(
      loop_, dialer_, rng_.fork("key-keeper"), log_, process_.key_desk,
      key_keeper_options(*config_.auth.jwt, key_tls_.get()));
  telemetry::add_key_set_rows(callbacks_, key_set_reads(*key_keeper_));
  key_keeper_->start();
}

void GatewayProcess::add_metrics() {
  std::vector<const telemetry::GatewayMetrics*> shards;
  for (const auto& worker : workers_) shards.push_back(&worker->metrics());
  ticker_ = std::make_unique<ControlTicker>(loop_, log_, shards, live_config_.snapshot());
  telemetry::add_process_rows(
      callbacks_,
      {.queue_depth = [this] { return static_cast<double>(process_.waiting_room.waiting()); },
       .amplification = [this] { return ticker_->amplification(); },
       .draining = [this] { return process_.draining.load() ? 1.0 : 0.0; },
       .drain_forced = [this] { return static_cast<double>(process_.cut.load()); },
       .access_log_dropped = [this] { return access_log_.dropped(); },
       .log_dropped = [this] { return log_.dropped(); },
       .audit_log_dropped = [this] { return audit_sink_.dropped(); },
       .reloads_applied = [this] { return live_config_.reloads_applied(); },
       .reloads_refused = [this] { return live_config_.reloads_refused(); }});
  telemetry::add_provider_rows(callbacks_, provider_reads(*live_config_.snapshot(), clock_));
  add_store_rows(callbacks_, quotas_.get());
  add_caller_metrics();
  worker_metrics_ = std::make_unique<ShardedSource<telemetry::GatewayMetrics>>(std::move(shards),
                                                                               process_.labels);
  sources_ = {worker_metrics_.get(), &callbacks_, &caller_callbacks_, &process_metrics_,
              &build_info_};
}

// Scrapes are answered on this thread, between two changes.
void GatewayProcess::add_caller_metrics() {
  caller_callbacks_ = CallbackSource();
  telemetry::add_ceiling_rows(
      caller_callbacks_, ceiling_reads(process_, live_config_.config(), *live_config_.snapshot()));
}

void GatewayProcess::publish(const std::shared_ptr<const gateway::Snapshot>& snapshot,
                             std::function<void()> adopted) {
  ticker_->set_snapshot(snapshot);
  if (quotas_ != nullptr) quotas_->set_snapshot(snapshot);
  add_caller_metrics();
  if (workers_running_.load() == 0) return adopted();  // they have ended: nobody is left to take it
  const auto left = std::make_shared<std::atomic<std::size_t>>(workers_.size());
  for (const auto& worker : workers_)
    worker->adopt(snapshot, [left, adopted] {
      if (left->fetch_sub(1) == 1) adopted();
    });
}

// Two writers to one stream could write into each other's lines.
LogFile& GatewayProcess::audit_stream() noexcept {
  const telemetry::TelemetryConfig& logs = config_.telemetry;
  if (logs.audit_log == logs.access_log) return access_log_;
  return logs.audit_log == "stderr" ? log_ : audit_log_;
}

void GatewayProcess::reload() { reloads_.spawn(reload_file()); }

runtime::Task<void> GatewayProcess::reload_file() {
  const Result<admin::PatchReport> report = co_await live_config_.reload();
  if (report) admin::audit_config(admin_->plane(), "reload", {}, *report);
}

void GatewayProcess::leave() {
  if (process_.draining.exchange(true)) return;
  const gateway::DrainTimes times = gateway::drain_times(config_.drain, clock_.now());
  json::LogLine(json::LogLevel::kInfo, "draining").write_to(log_);
  for (const auto& worker : workers_)
    worker->leave(times, [this] {
      if (workers_running_.fetch_sub(1) == 1) loop_.post([this] { leaving_.spawn(end()); });
    });
}

runtime::Task<void> GatewayProcess::end() {
  admin_listener_->stop();
  admin_server_->shut_down();
  runtime::Timer patience(
      loop_.timers(), [](void* server) { static_cast<net::HttpServer*>(server)->abort(); },
      admin_server_.get());
  patience.arm(clock_.now() + kAdminLastWords);
  co_await reloads_.join();
  co_await prober_->close();
  if (quotas_ != nullptr) co_await quotas_->close();
  if (key_keeper_) co_await key_keeper_->close();
  co_await admin_server_->join();
  co_await admin_listener_->join();
  workers_.clear();  // last: scrapes and the ticker read what they counted
  access_log_.close();
  audit_log_.close();
  log_.close();
  loop_.stop();
}

}  // namespace penstock::app
