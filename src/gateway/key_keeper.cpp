#include "gateway/key_keeper.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/rng.h"
#include "base/units.h"
#include "gateway/key_fetch.h"
#include "json/log_line.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

constexpr Duration kRetryFirst = 1s;
constexpr Duration kRetryMax = 30s;
constexpr int kFailuresMax = 6;  // 32 s is beyond kRetryMax

// A part of `whole`, at least `least` per cent of it: gateways that began together must not ask
// together for ever.
Duration spread(Duration whole, std::uint64_t least, Rng& rng) {
  const auto percent = static_cast<Duration::rep>(least + rng.below(101 - least));
  return whole / 100 * percent;
}

}  // namespace

void KeyKeeper::start() {
  desk_.open([this] {
    loop_.post([this] {
      if (resting_) wake_.wake();  // else the fetch has begun by itself meanwhile
    });
  });
  running_.spawn(run());
}

Task<void> KeyKeeper::close() {
  desk_.close();
  stop_.request(runtime::StopReason::kShutdown);
  wake_.wake_soon();
  co_await running_.join();
}

Task<void> KeyKeeper::run() {
  while (!stop_.requested()) {
    while (co_await fetch()) {
    }
    const TimePoint next = loop_.clock().now() + pause();
    if (stop_.requested()) co_return;
    resting_ = true;
    ignore(co_await wake_.until(next), "time to fetch, or to stop");
    resting_ = false;
  }
}

// True: fetch once more at once.
Task<bool> KeyKeeper::fetch() {
  if (stop_.requested()) co_return false;
  const TimePoint began = loop_.clock().now();
  desk_.fetch_begins();
  const runtime::CallContext context{stop_, began + kFetchMax};
  const FetchedKeys fetched = co_await fetch_keys(loop_, dialer_, options_.source, context);
  if (stop_.requested()) co_return false;
  if (fetched.set != nullptr) since_ = began;
  settle(fetched);
  co_return desk_.fetch_ended(fetched.set, began + options_.keep, loop_.clock().now());
}

void KeyKeeper::settle(const FetchedKeys& fetched) {
  tell(fetched);
  if (fetched.set != nullptr) {
    ++fetched_;
    keys_ = fetched.set->size();
    failures_ = 0;
    told_old_ = false;
  } else {
    ++failed_;
    failures_ = std::min(failures_ + 1, kFailuresMax);
  }
}

// Changes only: who cannot be reached for an hour is told of once.
void KeyKeeper::tell(const FetchedKeys& fetched) {
  const std::string& from = options_.source.authority;
  if (fetched.set != nullptr) {
    if (failures_ == 0 && fetched_ != 0) return;
    json::LogLine(json::LogLevel::kInfo, "key set fetched")
        .with("from", from)
        .with("keys", fetched.set->size())
        .with("left_out", fetched.set->left_out())
        .write_to(log_);
    return;
  }
  if (failures_ == 0)
    json::LogLine(json::LogLevel::kWarn, "key set not fetched")
        .with("from", from)
        .with("why", fetched.why)
        .write_to(log_);
  if (!since_ || told_old_ || loop_.clock().now() - *since_ < options_.keep) return;
  told_old_ = true;
  json::LogLine(json::LogLevel::kWarn, "key set too old: tokens are refused")
      .with("from", from)
      .write_to(log_);
}

// A key that was published one `refresh` before its first use must be here by then.
Duration KeyKeeper::pause() {
  if (failures_ == 0) return spread(options_.refresh, 90, *rng_);
  const Duration doubled = kRetryFirst * (1 << (failures_ - 1));
  return spread(std::min({doubled, kRetryMax, options_.refresh}), 50, *rng_);
}

std::optional<Duration> KeyKeeper::age() const noexcept {
  if (!since_) return std::nullopt;
  return loop_.clock().now() - *since_;
}

}  // namespace penstock::gateway
