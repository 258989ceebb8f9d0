#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/byte_stream.h"
#include "tests/support/manual_loop.h"

namespace penstock::test {

// One end of a connection in a test's hands: sends what it is told, collects what arrives. Needs no
// coroutine; everything happens while the loop runs.
class Peer {
 public:
  // How a peer looks at what arrives.
  enum class Reading : std::uint8_t { kAlways, kPaused };

  Peer(ManualLoop& loop, std::unique_ptr<net::ByteStream> stream,
       Reading reading = Reading::kAlways);
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  // Sends after what was sent before. Not after half_close().
  void send(std::string_view bytes);
  // Bytes given to send() that the connection has not taken yet.
  [[nodiscard]] std::size_t unsent() const noexcept { return queued_.size() + sending_.size(); }

  // All that arrived and was not taken.
  [[nodiscard]] const std::string& received() const noexcept { return received_; }
  std::string take() { return std::exchange(received_, {}); }
  // Called after bytes or an end arrived.
  void on_arrival(std::function<void()> call) { on_arrival_ = std::move(call); }

  void pause_reading() noexcept { paused_ = true; }  // after what the read outstanding brings
  void resume_reading();

  // The other side sent a proper end.
  [[nodiscard]] bool closed() const noexcept { return end_ == net::IoEnd::kEof; }
  // The connection broke.
  [[nodiscard]] bool was_reset() const noexcept { return end_ == net::IoEnd::kReset; }
  [[nodiscard]] bool over() const noexcept { return end_ != net::IoEnd::kOk; }

  // "No more from me", after what was sent.
  void half_close();
  // Ends this end of the connection; bytes it has not read make it a reset.
  void leave();
  void leave_with_reset();
  // As leave(), once everything given to send() was taken.
  void leave_after_sending();
  [[nodiscard]] bool left() const noexcept { return leaving_; }

 private:
  class Waiter final : public net::IoWaiter {
   public:
    using Done = void (Peer::*)(net::IoResult);
    Waiter(Peer& peer, Done done) noexcept : peer_(peer), done_(done) {}
    void complete(net::IoResult result) noexcept override { (peer_.*done_)(result); }

   private:
    Peer& peer_;
    Done done_;
  };

  void pump_reads();
  void pump_writes();
  void read_done(net::IoResult result);
  void write_done(net::IoResult result);
  void take_read(net::IoResult result);
  void let_go();

  ManualLoop& loop_;
  std::unique_ptr<net::ByteStream> stream_;
  Waiter read_waiter_{*this, &Peer::read_done};
  Waiter write_waiter_{*this, &Peer::write_done};
  std::array<char, 4096> room_;
  std::string received_;
  std::string queued_;   // to be sent after `sending_`
  std::string sending_;  // what a write outstanding is looking at
  net::IoEnd end_ = net::IoEnd::kOk;
  bool reading_ = false;
  bool writing_ = false;
  bool paused_ = false;
  bool leaving_ = false;
  bool half_close_ = false;
  bool leave_when_sent_ = false;
  std::function<void()> on_arrival_;
};

}  // namespace penstock::test
