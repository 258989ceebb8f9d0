#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "admin/running_config.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/seams.h"
#include "config/compile_provider.h"
#include "config/config.h"
#include "config/live_config.h"
#include "config/load.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::app {

// The config of the running gateway: judged and compiled here, on the control thread, and handed to
// the workers. Everything given outlives it.
class LiveGatewayConfig final : public admin::RunningConfig {
 public:
  using Snapshot = std::shared_ptr<const gateway::Snapshot>;
  // Hands a snapshot to every worker; calls `adopted`, on any thread, once each has taken it.
  using Publish = std::function<void(Snapshot snapshot, std::function<void()> adopted)>;

  // Reads what else of a config's secrets is in use, such as certificates.
  // errors: kInvalidRequest; then nothing of it is in use.
  using Renew = std::function<Result<void>(const config::Config& config)>;

  // log: told of each reload.
  LiveGatewayConfig(const config::LoadResult& loaded, const Disk& disk, const SecretSource& secrets,
                    gateway::Process& process, runtime::EventLoop& loop, LogSink& log)
      : live_(loaded), disk_(disk), secrets_(secrets), process_(process), loop_(loop), log_(log) {}

  // Compiles the file's config. Comes first.
  // errors: as config::compile.
  [[nodiscard]] Result<void> prepare();
  // Before the first patch.
  void publish_with(Publish publish) { publish_ = std::move(publish); }
  // Before the first reload.
  void renew_with(Renew renew) { renew_ = std::move(renew); }

  // How many reloads took effect, and how many were refused. Any thread.
  [[nodiscard]] std::uint64_t reloads_applied() const noexcept { return reloads_applied_.load(); }
  [[nodiscard]] std::uint64_t reloads_refused() const noexcept { return reloads_refused_.load(); }

  [[nodiscard]] const config::Config& config() const noexcept { return live_.current().config; }

  [[nodiscard]] const std::string& file() const noexcept { return live_.current().file; }

  [[nodiscard]] Snapshot snapshot() const override { return snapshot_; }
  [[nodiscard]] std::string shown(admin::ConfigForm form) const override;
  [[nodiscard]] runtime::Task<Result<admin::PatchReport>> patch(
      std::string_view merge_patch) override;
  [[nodiscard]] runtime::Task<Result<admin::PatchReport>> reload() override;

 private:
  [[nodiscard]] Result<admin::PatchReport> change(config::LiveConfig::Draft draft,
                                                  config::Credentials credentials);
  [[nodiscard]] Result<admin::PatchReport> read_anew();
  void tell(const Result<admin::PatchReport>& report);
  [[nodiscard]] runtime::Task<void> publish();

  config::LiveConfig live_;
  const Disk& disk_;
  const SecretSource& secrets_;
  gateway::Process& process_;
  runtime::EventLoop& loop_;
  LogSink& log_;
  Publish publish_;
  Renew renew_;
  std::atomic<std::uint64_t> reloads_applied_ = 0;
  std::atomic<std::uint64_t> reloads_refused_ = 0;
  Snapshot snapshot_;
};

}  // namespace penstock::app
