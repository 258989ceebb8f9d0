#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/rng.h"
#include "base/seams.h"
#include "base/units.h"
#include "gateway/key_desk.h"
#include "gateway/key_fetch.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"

namespace penstock::gateway {

struct KeyKeeperOptions {
  KeySource source;
  Duration refresh{};  // from one fetch to the next
  Duration keep{};     // how long a set is good after it was fetched
};

// Keeps the identity provider's key set fresh, on the control thread's loop: fetches it at the
// start, then at least once a `refresh`, sooner where a worker asks for a key that it does not
// know. Failed fetches are repeated after 1 s, 2 s, … up to 30 s. No request ever fetches.
class KeyKeeper {
 public:
  static constexpr Duration kFetchMax = 5s;  // one fetch, connecting included

  // desk: where the sets go. log: told when fetching begins to fail, when it works again, and when
  // the last set has become too old. All outlive it.
  KeyKeeper(runtime::EventLoop& loop, net::Dialer& dialer, std::unique_ptr<Rng> rng, LogSink& log,
            KeyDesk& desk, KeyKeeperOptions options)
      : loop_(loop),
        dialer_(dialer),
        rng_(std::move(rng)),
        log_(log),
        desk_(desk),
        options_(std::move(options)),
        wake_(loop) {}
  KeyKeeper(const KeyKeeper&) = delete;
  KeyKeeper& operator=(const KeyKeeper&) = delete;

  // Fetches from now on, until close(). Once.
  void start();
  // Ends what is under way and waits for it. Nobody waits for a key from then on.
  [[nodiscard]] runtime::Task<void> close();

  // For metrics, on the loop's thread. Age: since the set in force was fetched; nullopt: there is
  // none.
  [[nodiscard]] std::optional<Duration> age() const noexcept;
  [[nodiscard]] std::size_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t fetched() const noexcept { return fetched_; }
  [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }

 private:
  [[nodiscard]] runtime::Task<void> run();
  [[nodiscard]] runtime::Task<bool> fetch();
  void settle(const FetchedKeys& fetched);
  void tell(const FetchedKeys& fetched);
  [[nodiscard]] Duration pause();

  runtime::EventLoop& loop_;
  net::Dialer& dialer_;
  std::unique_ptr<Rng> rng_;
  LogSink& log_;
  KeyDesk& desk_;
  const KeyKeeperOptions options_;
  runtime::Alarm wake_;
  runtime::Cancellation stop_;
  runtime::TaskGroup running_;

  std::optional<TimePoint> since_;  // when the set in force was asked for
  std::size_t keys_ = 0;
  std::uint64_t fetched_ = 0;
  std::uint64_t failed_ = 0;
  int failures_ = 0;  // in a row
  bool told_old_ = false;
  bool resting_ = false;
};

}  // namespace penstock::gateway
