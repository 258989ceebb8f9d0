#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/rng.h"
#include "base/units.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/timer.h"
#include "store/redis/call.h"
#include "store/redis/connection.h"
#include "store/redis/error_reply.h"
#include "store/redis/link.h"
#include "store/redis/node_breaker.h"
#include "store/redis/outage.h"
#include "store/redis/standing.h"
#include "store/redis/value.h"

namespace penstock::store::redis {

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class Node;

enum class Overdue : std::uint8_t { kNo, kYes };

// What a node needs of the table that it stands in. May be called from inside send().
class NodeUser {
 public:
  // The slot of the call is not served here.
  virtual void redirect(std::unique_ptr<Call> call, const ErrorReply& where, Node& from) = 0;
  // The node ran a call, whoever was thought to have its slot.
  virtual void served(const Call& call, const Node& by) = 0;
  // Whether there is another node that takes calls.
  [[nodiscard]] virtual bool others_are_well(const Node& node) const = 0;

 protected:
  ~NodeUser() = default;
};

// What every node of a client shares; all of it outlives them.
struct NodeParts {
  Approach approach;
  Duration timeout;  // of a command
  Rng& rng;
  Standing& standing;
  NodeUser& user;
};

// One server: the connection to it, made again when it ends, whoever waits for it, and the breaker.
//
// An open breaker has no connection. About once a second one is made, with a script as the probe,
// and if that is answered in time the breaker closes. Once nobody has named the node for
// kForgetAfter, the others do without it: a learned one ends, that of the config is no outage any
// more and goes on to be probed.
class Node final : private LinkUser {
 public:
  enum class Kind : std::uint8_t { kGiven, kLearned };  // by the config; from a redirect

  Node(const NodeParts& parts, Place place, Kind kind);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] const Place& place() const noexcept { return place_; }
  [[nodiscard]] bool available() const noexcept { return !breaker_.open() && !leaving_; }

  // Sends the call, keeps it until there is a connection, or fails it at once.
  void send(std::unique_ptr<Call> call);
  // Nobody waits any more for a call that stands here. One that was not sent is gone behind this.
  // overdue: it had as long as the store may take; otherwise its caller was in a hurry.
  void gave_up(const Call& call, Overdue overdue);

  // Connects, and again, until stop() has done its work or a learned node is forgotten.
  [[nodiscard]] runtime::Task<void> serve();
  // Takes nothing more. What is in flight may end, and what waits for a connection that is being
  // made may be sent and end; `timeout` from now all of it is over. Once.
  void stop();

 private:
  static constexpr Duration kProbeEvery = 1s;  // reliability.md 2.4; give or take a quarter
  static constexpr Duration kBackoffBase = 20ms;
  static constexpr Duration kForgetAfter = 10s;  // a slot is asked for more often than that
  static constexpr std::size_t kUnsentBytesMax = 1U << 20;

  void replied(std::unique_ptr<Call> call, Value reply) override;
  void link_ended(OutageReason why, WasBusy busy, TimePoint began) override;
  void lost(std::unique_ptr<Call> call, OutageReason why) override;

  static void on_last_moment(void* self) noexcept;
  [[nodiscard]] bool done() const noexcept;
  [[nodiscard]] bool unwanted() const;
  void tell_away(OutageReason why);
  void tell_forgotten();
  [[nodiscard]] runtime::Task<void> use(std::unique_ptr<Connection> connection);
  void not_connected(const Opened& opened, TimePoint began);
  void on_error(std::unique_ptr<Call> call, const Value& reply);
  void failed(OutageReason why, TimePoint began);
  void open_breaker(OutageReason why);
  void fail_waiting(OutageReason why);
  void refuse(std::unique_ptr<Call> call, OutageReason why);
  [[nodiscard]] Duration jittered(Duration about);
  [[nodiscard]] Duration backoff();
  [[nodiscard]] TimePoint now() const;
  [[nodiscard]] std::string name() const;

  NodeParts parts_;
  Place place_;
  Kind kind_;
  runtime::Cancellation stop_;  // of connecting; when leaving, only once nobody waits for it
  bool leaving_ = false;
  runtime::Timer last_moment_;  // of leaving
  NodeBreaker breaker_;
  TimePoint wanted_at_;     // while it is away: somebody named it
  bool told_away_ = false;  // to those who count
  Link* link_ = nullptr;    // on serve()'s frame
  std::deque<std::unique_ptr<Call>> waiting_;
  bool resting_ = false;        // between two attempts to connect
  std::uint32_t attempts_ = 0;  // since a call was answered
  TimePoint attempt_at_;        // the next one
  std::string probe_key_;       // of the last call that its slots or our rights failed
  std::string detail_;          // of the last failure, for operators
  OutageReason last_failure_ = OutageReason::kAway;  // of a connection, or of making one
};

}  // namespace penstock::store::redis
