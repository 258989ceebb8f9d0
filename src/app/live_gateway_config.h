#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "admin/running_config.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/seams.h"
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

  LiveGatewayConfig(const config::LoadResult& loaded, const SecretSource& secrets,
                    gateway::Process& process, runtime::EventLoop& loop)
      : live_(loaded), secrets_(secrets), process_(process), loop_(loop) {}

  // Compiles the file's config. Comes first.
  // errors: as config::compile.
  [[nodiscard]] Result<void> prepare();
  // Before the first patch.
  void publish_with(Publish publish) { publish_ = std::move(publish); }

  [[nodiscard]] const std::string& file() const noexcept { return live_.current().file; }

  [[nodiscard]] Snapshot snapshot() const override { return snapshot_; }
  [[nodiscard]] std::string shown(admin::ConfigForm form) const override;
  [[nodiscard]] runtime::Task<Result<admin::PatchReport>> patch(
      std::string_view merge_patch) override;

 private:
  [[nodiscard]] Result<admin::PatchReport> change(std::string_view merge_patch);
  [[nodiscard]] runtime::Task<void> publish();

  config::LiveConfig live_;
  const SecretSource& secrets_;
  gateway::Process& process_;
  runtime::EventLoop& loop_;
  Publish publish_;
  Snapshot snapshot_;
};

}  // namespace penstock::app
