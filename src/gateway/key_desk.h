#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "identity/key_demand.h"
#include "identity/key_set.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::gateway {

// The identity provider's keys, as they are in force.
struct KeysInForce {
  std::shared_ptr<const identity::KeySet> set;  // null: none was fetched yet
  TimePoint good_until{};                       // then the set is too old to be trusted
  std::uint64_t version = 0;                    // grows with every set; 0: none

  [[nodiscard]] bool usable(TimePoint now) const noexcept {
    return set != nullptr && now < good_until;
  }
};

// Where the control thread lays out key sets and workers come to take them, and where a request
// with a token whose key is not known waits for the fetch that may bring it. Shared by all workers.
// The mutex is touched when a set has changed or a key is missing, never by a known token.
class KeyDesk {
 public:
  // How long a request waits for a key.
  static constexpr Duration kWaitMax = 1s;
  // Requests that wait at once. Each holds a connection; beyond that they are refused.
  static constexpr std::size_t kWaitersMax = 4096;

  KeyDesk() = default;
  KeyDesk(const KeyDesk&) = delete;
  KeyDesk& operator=(const KeyDesk&) = delete;
  ~KeyDesk();

  // Brings a worker's copy up to date. Any thread; one atomic load when it is.
  void update(KeysInForce& mine) const;

  // How a wait ended. Not what came of it: look again.
  enum class WaitEnd : std::uint8_t {
    kLookAgain,  // a fetch has ended, or nothing can be expected of one
    kTime,       // kWaitMax passed
    kFull,       // too many wait
    kStopped,    // the request was told to stop
  };
  // Waits on the worker of `loop` for a key that is in no set, or for any set (kid: nullopt);
  // causes a fetch where identity::KeyDemand lets it. Does not wait where nothing can come.
  [[nodiscard]] runtime::Task<WaitEnd> wait(runtime::EventLoop& loop,
                                            runtime::Cancellation& cancellation,
                                            std::optional<std::string> kid);

  // The rest is the control thread's.
  //
  // fetch: called on any thread, under the mutex: only posts. Says that a fetch should begin now.
  void open(std::function<void()> fetch);
  void fetch_begins();
  // A fetch has ended. set: nullptr when it failed. True: begin one more, somebody waits for it.
  [[nodiscard]] bool fetch_ended(std::shared_ptr<const identity::KeySet> set, TimePoint good_until,
                                 TimePoint now);
  // Nothing is fetched any more: nobody waits, now or later.
  void close();

 private:
  struct Call;

  [[nodiscard]] bool join(const std::shared_ptr<Call>& call, TimePoint now);
  [[nodiscard]] bool leave(Call& call);
  void wake(Call& call);

  std::atomic<std::uint64_t> version_ = 0;
  mutable std::mutex mutex_;  // guards what follows and the fate of each call
  KeysInForce keys_;
  identity::KeyDemand demand_;
  std::vector<std::shared_ptr<Call>> waiting_;
  std::function<void()> fetch_;
  std::uint64_t fetches_ = 0;  // begun
};

}  // namespace penstock::gateway
