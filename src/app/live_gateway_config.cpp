#include "app/live_gateway_config.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "admin/running_config.h"
#include "base/result.h"
#include "base/units.h"
#include "config/compile.h"
#include "config/compile_provider.h"
#include "config/live_config.h"
#include "config/load.h"
#include "config/merge_patch.h"
#include "config/show.h"
#include "config/show_json.h"
#include "config/values.h"
#include "gateway/live_limits.h"
#include "json/log_line.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::app {

using runtime::Task;

namespace {

// A worker takes a snapshot between two turns of its loop; one that has ended takes none.
constexpr Duration kAdoptMax = 1s;

}  // namespace

Result<void> LiveGatewayConfig::prepare() {
  PENSTOCK_TRY(snapshot_, config::compile(live_.current().config, secrets_, process_.labels,
                                          loop_.clock().wall()));
  return {};
}

std::string LiveGatewayConfig::shown(admin::ConfigForm form) const {
  return form == admin::ConfigForm::kYaml ? config::show(live_.current())
                                          : config::show_json(live_.current());
}

// Up to the post to the workers without a wait: of two patches the second one is judged on top of
// the first.
Task<Result<admin::PatchReport>> LiveGatewayConfig::patch(std::string_view merge_patch) {
  PENSTOCK_CO_TRY(config::LiveConfig::Draft draft, live_.draft(merge_patch));
  PENSTOCK_CO_TRY(admin::PatchReport report, change(std::move(draft), config::Credentials::kKept));
  co_await publish();
  co_return report;
}

Task<Result<admin::PatchReport>> LiveGatewayConfig::reload() {
  Result<admin::PatchReport> report = read_anew();
  if (report) {
    reloads_applied_.fetch_add(1, std::memory_order_relaxed);
    co_await publish();
  } else {
    reloads_refused_.fetch_add(1, std::memory_order_relaxed);
  }
  tell(report);
  co_return report;
}

Result<admin::PatchReport> LiveGatewayConfig::read_anew() {
  PENSTOCK_TRY(config::LiveConfig::Draft draft,
               live_.reload(config::load(live_.current().file, disk_, secrets_)));
  return change(std::move(draft), config::Credentials::kRead);
}

void LiveGatewayConfig::tell(const Result<admin::PatchReport>& report) {
  if (!report)
    return json::LogLine(json::LogLevel::kWarn, "reload refused: the config before stays in force")
        .with("why", report.error().message)
        .write_to(log_);
  json::LogLine(json::LogLevel::kInfo, "config reloaded")
      .with("changes", report->changes.size())
      .with("live_changes_kept", report->patched)
      .write_to(log_);
}

Result<admin::PatchReport> LiveGatewayConfig::change(config::LiveConfig::Draft draft,
                                                     config::Credentials credentials) {
  PENSTOCK_TRY(const Snapshot next,
               config::compile(draft.loaded.config, secrets_, process_.labels, loop_.clock().wall(),
                               snapshot_.get(), credentials));
  if (credentials == config::Credentials::kRead) PENSTOCK_CHECK(renew_(draft.loaded.config));
  snapshot_ = next;
  admin::PatchReport report;
  for (config::ChangedValue& value : draft.changes)
    report.changes.push_back({.path = std::move(value.path),
                              .before = std::move(value.before),
                              .after = std::move(value.after)});
  report.warnings = config::rendered(draft.loaded.warnings, draft.loaded.file);
  report.patched = config::count_values(draft.patch) + config::count_values(draft.weights);
  live_.take(std::move(draft));
  return report;
}

Task<void> LiveGatewayConfig::publish() {
  gateway::apply_limits(process_, *snapshot_, loop_.clock().now());
  struct Waiting {
    runtime::Alarm* alarm;  // nullptr: nobody waits any more
  };
  runtime::Alarm alarm(loop_);
  const auto waiting = std::make_shared<Waiting>(&alarm);
  publish_(snapshot_, [waiting, &loop = loop_] {
    loop.post([waiting] {
      if (waiting->alarm != nullptr) waiting->alarm->wake();
    });
  });
  ignore(co_await alarm.until(loop_.clock().now() + kAdoptMax), "a worker that ends takes none");
  waiting->alarm = nullptr;
}

}  // namespace penstock::app
