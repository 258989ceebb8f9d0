#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "net/byte_stream.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "tests/support/loopback.h"
#include "tests/support/manual_loop.h"

namespace penstock::test {

// A network in memory: connects to named listeners. A name is "host:port" of the origin dialled;
// whether TLS was wanted is only counted. A place that nobody described refuses.
class LoopbackNet final : public net::Dialer {
 public:
  using Accept = std::function<void(std::unique_ptr<net::ByteStream>)>;

  explicit LoopbackNet(ManualLoop& loop) : loop_(loop) {}
  ~LoopbackNet() override;

  // From now on connections to `place` reach `accept`, called on the loop within the dial.
  void listen(const std::string& place, Accept accept,
              LoopbackOptions to_server = LoopbackOptions(),
              LoopbackOptions to_client = LoopbackOptions());
  // From now on dialling `place` ends so, after `wait`. end: anything but kConnected.
  void fail(const std::string& place, net::DialEnd end, Duration wait = Duration::zero());
  // From now on dialling `place` neither connects nor fails.
  void hang(const std::string& place);
  // From now on dialling `place` throws std::bad_alloc, as whatever allocates may.
  void exhaust(const std::string& place);

  struct Counts {
    std::size_t dials = 0;
    std::size_t tls = 0;  // dials that wanted TLS
    std::size_t connected = 0;
    std::size_t open = 0;  // connections that the dialling side has not ended
  };
  [[nodiscard]] Counts counts(const std::string& place) const;
  // Connections to all places that the dialling side has not ended.
  [[nodiscard]] std::size_t open() const;

  // kTimedOut when `timeout` passes first; kCancelled when the context's deadline does, or its
  // cancellation is requested.
  [[nodiscard]] runtime::Task<net::Dialled> dial(runtime::EventLoop& loop,
                                                 const net::Origin& origin, Duration timeout,
                                                 runtime::CallContext context) override;

 private:
  struct Place {
    enum class Kind : std::uint8_t { kListens, kFails, kHangs, kThrows };
    Kind kind = Kind::kFails;
    net::DialEnd end = net::DialEnd::kRefused;
    Duration wait{};
    Accept accept;
    LoopbackOptions to_server;
    LoopbackOptions to_client;
    Counts counts;

    // When a dial begun at `begun` ends by itself.
    [[nodiscard]] TimePoint ends_at(TimePoint begun) const noexcept {
      if (kind == Kind::kHangs) return TimePoint::max();
      return kind == Kind::kFails ? begun + wait : begun;
    }
  };
  class Counted;

  ManualLoop& loop_;
  std::map<std::string, std::shared_ptr<Place>> places_;

  Place& place(const std::string& name);
};

}  // namespace penstock::test
