#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "tests/scenario/scenario.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"

namespace penstock::scenario {

// A reply as its client got it.
struct Reply {
  int status = 0;  // 0: no head
  Pairs headers;
  std::string body;  // without its framing
  bool whole = false;
  std::size_t bytes = 0;  // of it on the wire, as far as they came
  TimePoint ended{};      // when the last byte came, or the connection ended

  [[nodiscard]] std::optional<std::string> field(std::string_view name) const;
};

// A client's connection: one call after the other; what arrives belongs to the calls in order.
class Client {
 public:
  Client(test::ManualLoop& loop, std::unique_ptr<net::ByteStream> stream,
         test::Peer::Reading reading);

  // Sends one more request. leave_after: as in ClientCall, for this reply.
  void send(const ClientCall& call, std::size_t place);
  void resume_reading() { peer_.resume_reading(); }
  void leave(Leave how);

  // Every reply that is awaited has come, or the connection is over.
  [[nodiscard]] bool idle() const noexcept;
  [[nodiscard]] bool over() const noexcept { return peer_.over() || peer_.left(); }
  [[nodiscard]] bool was_reset() const noexcept { return peer_.was_reset(); }
  // The reply to the call of that place among all; what came of it.
  [[nodiscard]] const Reply& reply(std::size_t place) const;

 private:
  struct Awaited {
    std::size_t place = 0;
    std::optional<std::size_t> leave_after;
    Leave leave = Leave::kClose;
    Reply reply;
  };
  void on_arrival();

  test::ManualLoop& loop_;
  std::vector<Awaited> awaited_;
  std::size_t current_ = 0;  // of awaited_
  std::string bytes_;        // of the current reply
  test::Peer peer_;
};

}  // namespace penstock::scenario
