#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "admin/admin.h"
#include "app/audit_sink.h"
#include "app/control_ticker.h"
#include "app/live_gateway_config.h"
#include "app/log_file.h"
#include "app/quota_plane.h"
#include "app/worker_thread.h"
#include "base/metric_shards.h"
#include "base/metric_source.h"
#include "config/config.h"
#include "config/load.h"
#include "fleet/prober.h"
#include "gateway/key_keeper.h"
#include "net/http_server.h"
#include "net/listen_socket.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "net/tcp_listener.h"
#include "net/tls.h"
#include "runtime/asio_loop.h"
#include "runtime/system.h"
#include "telemetry/gateway_metrics.h"
#include "telemetry/process_metrics.h"

namespace penstock::app {

// Every object of a running gateway, wired by hand in start(), in the order in which they need each
// other. Lives on the control thread, which runs `loop`.
class GatewayProcess {
 public:
  GatewayProcess(const config::LoadResult& loaded, const Disk& disk, const SecretSource& secrets);
  GatewayProcess(const GatewayProcess&) = delete;
  GatewayProcess& operator=(const GatewayProcess&) = delete;
  ~GatewayProcess();

  // Reads the secrets and compiles the config. Comes first.
  // errors: kInvalidRequest, saying which secret or certificate cannot be used.
  [[nodiscard]] Result<void> prepare();
  // Opens the logs, binds both planes and starts the workers.
  // errors: kInvalidRequest, saying which file or address is at fault; nothing runs then.
  [[nodiscard]] Result<void> start();
  // Reads the config file and its secrets anew; what is wrong with it goes to the log and leaves
  // everything as it was. On the control thread.
  void reload();
  // Begins to drain: serves on for `drain.settle`, lets what runs end within `drain.timeout`, then
  // ends loop().run(). Further calls change nothing. On the control thread.
  void leave();
  // Whether requests had to be cut. Once loop().run() has ended.
  [[nodiscard]] bool cut_requests() const noexcept { return process_.cut.load() != 0; }

  [[nodiscard]] const gateway::Process& process() const noexcept { return process_; }
  [[nodiscard]] runtime::AsioLoop& loop() noexcept { return loop_; }
  [[nodiscard]] const std::string& data_address() const noexcept { return data_address_; }
  [[nodiscard]] const std::string& admin_address() const noexcept { return admin_address_; }

 private:
  void start_quotas();
  void start_workers(net::ListenSet listen);
  void start_admin(net::ListenSet listen);
  void start_prober();
  void start_key_keeper();
  void add_metrics();
  void publish(const std::shared_ptr<const gateway::Snapshot>& snapshot,
               std::function<void()> adopted);
  void add_caller_metrics();
  [[nodiscard]] Result<void> renew_secrets(const config::Config& config);
  [[nodiscard]] runtime::Task<void> reload_file();
  [[nodiscard]] LogFile& audit_stream() noexcept;
  [[nodiscard]] runtime::Task<void> end();

  const config::Config& config_;  // as it was at the start
  const SecretSource& secrets_;
  runtime::SystemClock clock_;
  runtime::SystemRng rng_;
  runtime::AsioLoop loop_;
  gateway::Process process_;
  net::SystemResolver resolver_;
  net::TcpDialer dialer_;
  LogFile log_;
  LogFile access_log_;
  LogFile audit_log_;  // where the audit log has a stream to itself
  AuditSink audit_sink_;
  LiveGatewayConfig live_config_;
  std::shared_ptr<net::TlsServer> tls_;
  std::shared_ptr<const store::redis::Endpoint> redis_;  // null: quotas are counted here
  std::unique_ptr<QuotaPlane> quotas_;                   // the same
  std::shared_ptr<net::TlsClient> key_tls_;
  Secret admin_token_;
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<std::size_t> admin_connections_ = 0;
  std::vector<std::unique_ptr<WorkerThread>> workers_;
  std::atomic<std::size_t> workers_running_ = 0;

  telemetry::ProcessMetrics process_metrics_;
  telemetry::BuildInfo build_info_;
  CallbackSource callbacks_;
  CallbackSource caller_callbacks_;  // of what a reload may bring and take away
  std::unique_ptr<ShardedSource<telemetry::GatewayMetrics>> worker_metrics_;
  std::vector<const MetricSource*> sources_;
  std::unique_ptr<ControlTicker> ticker_;
  std::unique_ptr<admin::Admin> admin_;
  std::unique_ptr<net::HttpServer> admin_server_;
  std::unique_ptr<net::TcpListener> admin_listener_;
  std::unique_ptr<fleet::Prober> prober_;
  runtime::TaskGroup reloads_;
  std::unique_ptr<gateway::KeyKeeper> key_keeper_;  // in the modes that take tokens
  runtime::TaskGroup leaving_;
  std::string data_address_;
  std::string admin_address_;
};

}  // namespace penstock::app
