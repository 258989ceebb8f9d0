#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "net/byte_stream.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/timer.h"
#include "store/redis/call.h"
#include "store/redis/connection.h"
#include "store/redis/outage.h"
#include "store/redis/value.h"

namespace penstock::store::redis {

enum class WasBusy : std::uint8_t { kNo, kYes };

// Whoever sends calls over a link and hears of them. All of it may come from inside a call of the
// link's own functions.
class LinkUser {
 public:
  // The reply to a call: an error, or a list that begins with the call's id.
  virtual void replied(std::unique_ptr<Call> call, Value reply) = 0;
  // The link has ended. began: of the longest waiting call, if one was in flight.
  virtual void link_ended(OutageReason why, WasBusy busy, TimePoint began) = 0;
  // After that, for every call that was in flight.
  virtual void lost(std::unique_ptr<Call> call, OutageReason why) = 0;

 protected:
  ~LinkUser() = default;
};

// An open connection with several calls in flight. Replies belong to calls by their order, and each
// says whose it is. Ends for good with the first call that is not answered in time, the first reply
// that cannot be read or is somebody else's, and the peer's end.
class Link final : public net::IoWaiter {
 public:
  // user: outlives it.
  Link(runtime::EventLoop& loop, std::unique_ptr<Connection> connection, Duration timeout,
       LinkUser& user);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] bool open() const noexcept { return open_; }
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.size(); }
  [[nodiscard]] std::size_t unsent_bytes() const noexcept { return out_.size(); }

  // Only while open(). The first call of a script has the script's text sent in front of it, so
  // that calls run in the order in which they are sent, whatever the node knew.
  void send(std::unique_ptr<Call> call);
  // The node turned out not to know a script that it was given.
  void forget_scripts() noexcept { told_.clear(); }
  void end(OutageReason why);
  // Ends it if the first call in flight is overdue.
  void look_at_time();
  // Ends it as soon as nothing is in flight.
  void finish();

  // Reads replies until the link has ended and nothing of it is pending. Once.
  [[nodiscard]] runtime::Task<void> serve();

  void complete(net::IoResult result) noexcept override;

 private:
  // Waits until no write is pending.
  class [[nodiscard]] Written {
   public:
    explicit Written(Link& link) noexcept : link_(link) {}
    [[nodiscard]] bool await_ready() const noexcept { return !link_.writing_; }
    void await_suspend(std::coroutine_handle<> caller) noexcept { link_.settler_ = caller; }
    void await_resume() const noexcept {}

   private:
    Link& link_;
  };

  static void on_time(void* self) noexcept { static_cast<Link*>(self)->look_at_time(); }
  static constexpr std::size_t kToldMax = 16;  // scripts; we have three

  [[nodiscard]] Introduce tell(const Call& call);
  void flush();
  void take_replies();
  void on_reply(Value reply);

  runtime::EventLoop& loop_;
  std::unique_ptr<Connection> connection_;
  Duration timeout_;
  LinkUser& user_;
  std::deque<std::unique_ptr<Call>> in_flight_;  // in the order of their replies
  runtime::Timer timer_;                         // of the first of them
  std::vector<std::string> told_;                // names of scripts that the node was given
  std::string out_;                              // to be written next
  std::string written_;                          // being written
  std::coroutine_handle<> settler_;
  bool writing_ = false;
  bool open_ = true;
  bool finishing_ = false;
};

}  // namespace penstock::store::redis
