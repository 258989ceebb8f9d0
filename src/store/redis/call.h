#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "runtime/event_loop.h"
#include "store/redis/client.h"
#include "store/redis/outage.h"
#include "store/redis/script.h"
#include "store/redis/slot.h"
#include "store/redis/standing.h"

namespace penstock::store::redis {

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class Node;
struct Call;

using CallId = std::array<char, 32>;  // lower-case hex

// A run() that waits. On its frame; the call points to it for as long as both are there.
struct CallWaiter {
  explicit CallWaiter(runtime::EventLoop& loop) : alarm(loop) {}
  runtime::Alarm alarm;
  Call* call = nullptr;  // nullptr: it has ended
  std::optional<RunResult> result;
};

// One run() or post() on its way, owned by the queue that it stands in. It outlives a run() that
// gave up, so that its reply is still its own.
struct Call {
  const Script* script = nullptr;
  std::string words;  // the command behind the script: key count, keys, arguments, id
  std::size_t word_count = 0;
  std::string key;  // the first one
  CallId id{};
  Slot slot = 0;
  CallWaiter* waiter = nullptr;
  Node* node = nullptr;  // whose queue it stands in
  TimePoint began;
  TimePoint expires;  // once sent
  std::uint8_t hops = 0;
  std::uint8_t skip = 0;    // replies in front of its own that are not looked at
  bool posted = false;      // nobody ever waited
  bool sent = false;        // it may run
  bool whole_text = false;  // the node did not know the script, though it was given it
  bool asking = false;      // the slot is on its way to the node that is asked

  // Nobody wants the reply any more.
  [[nodiscard]] bool given_up() const noexcept { return waiter == nullptr && !posted; }
  [[nodiscard]] std::string_view id_text() const noexcept { return {id.data(), id.size()}; }
};

// Whether the node is told a script's text in front of the call.
enum class Introduce : std::uint8_t { kNo, kYes };

// Writes the call as its node is to get it, and sets how many replies come in front of its own.
void append_call(std::string& out, Call& call, Introduce introduce);

// Ends a call, and continues whoever waits for it before it returns.
void finish(std::unique_ptr<Call> call, RunResult result, Standing& standing);
void fail_call(std::unique_ptr<Call> call, OutageReason reason, Effect effect, Standing& standing);

}  // namespace penstock::store::redis
