#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "base/units.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/redis/endpoint.h"
#include "store/redis/outage.h"
#include "store/redis/script.h"
#include "store/redis/standing.h"
#include "store/redis/value.h"

namespace penstock::store::redis {

// One call of a script. Views need to last only as long as the call of run() or post() that they
// are given to; run() also needs them until it is awaited.
struct Command {
  const Script& script;
  std::span<const std::string_view> keys;       // at least one; all with one hash tag: `p:{acme}:q`
  std::span<const std::string_view> arguments;  // ARGV of the script's body
};

// What the script returned behind its id.
using Reply = std::vector<Value>;
using RunResult = std::expected<Reply, Outage>;

// Runs scripts on Redis or a Redis Cluster. One for each event loop, used on its thread only; never
// blocks it. Commands share one connection to each node, several in flight at a time, and the
// replies are told apart by their order and checked by the id that each carries.
//
// A command that gets no reply within `timeout` is not sent again: its connection is closed, and
// what else was in flight on it fails too. A node that fails five times in a row, or with time-outs
// for 250 ms, is left alone (`kOpen`) until a probe of our own, one a second, got its answer.
class Client {
 public:
  static constexpr std::size_t kInFlightMax = 4096;  // a node; more get kFull
  static constexpr std::size_t kNodesMax = 64;       // of a cluster; others are not followed to

  struct Options {
    Duration timeout = 50ms;  // of one command
  };

  // loop, dialer, standing: outlive the client. standing: shared by the clients of all loops.
  Client(runtime::EventLoop& loop, net::Dialer& dialer, std::shared_ptr<const Endpoint> endpoint,
         Options options, std::unique_ptr<Rng> rng, Standing& standing);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();  // close() was awaited, or start() never called

  // Begins to connect, so that the first call need not. Once, on the loop's thread.
  void start();
  // Takes nothing more. What was posted is sent and waited for, also over a connection that is
  // still being made; `timeout` from now all of it is over, and what was not answered is dropped
  // and counted, as is what would have to be sent elsewhere. Once.
  [[nodiscard]] runtime::Task<void> close();

  // Runs the script and waits for its reply, until `due` at most and never longer than `timeout`.
  // The departure of the caller's client does not end the wait, which is short: so the caller
  // always learns what was taken. Behind kDeadline the script may still run; for an undo that is
  // posted see there.
  [[nodiscard]] runtime::Task<RunResult> run(const Command& command, TimePoint due);

  // Sends the script and forgets it. Never waits. False: it was not sent, and its caller says what
  // becomes of it. What goes down with its connection is dropped and counted (Standing).
  //
  // Calls to one hash tag run in the order they were made, also where the store did not know their
  // scripts. That does not hold between calls that are on their way at the moment when the tag
  // moves to another node, the store is told to forget its scripts or a connection is made anew,
  // nor where our rights do not include SCRIPT LOAD: a script must not do harm out of its turn.
  [[nodiscard]] bool post(const Command& command);

  // Whether the node of this hash tag (without braces: the tenant) may be asked now. False: run()
  // would say kOpen.
  [[nodiscard]] bool available(std::string_view tag) const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::store::redis
