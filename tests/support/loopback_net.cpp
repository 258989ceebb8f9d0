#include "tests/support/loopback_net.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "tests/support/loopback.h"

namespace penstock::test {

using net::DialEnd;
using net::Dialled;
using net::IoResult;

// The dialling side's end, counted while it is open.
class LoopbackNet::Counted final : public net::ByteStream {
 public:
  Counted(std::unique_ptr<net::ByteStream> stream, std::shared_ptr<Place> place)
      : stream_(std::move(stream)), place_(std::move(place)) {
    ++place_->counts.open;
  }
  ~Counted() override { --place_->counts.open; }

  std::optional<IoResult> start_read(std::span<char> into, net::IoWaiter& waiter) override {
    return stream_->start_read(into, waiter);
  }
  std::optional<IoResult> start_write(std::span<const std::string_view> pieces,
                                      net::IoWaiter& waiter) override {
    return stream_->start_write(pieces, waiter);
  }
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept override {
    return stream_->bytes_taken();
  }
  [[nodiscard]] bool has_unread() noexcept override { return stream_->has_unread(); }
  void cancel() noexcept override { stream_->cancel(); }
  void cancel_read() noexcept override { stream_->cancel_read(); }
  void shut_down_writing() noexcept override { stream_->shut_down_writing(); }
  void reset_on_close() noexcept override { stream_->reset_on_close(); }

 private:
  std::unique_ptr<net::ByteStream> stream_;
  std::shared_ptr<Place> place_;
};

LoopbackNet::~LoopbackNet() = default;

LoopbackNet::Place& LoopbackNet::place(const std::string& name) {
  std::shared_ptr<Place>& found = places_[name];
  if (found == nullptr) found = std::make_shared<Place>();
  return *found;
}

void LoopbackNet::listen(const std::string& name, Accept accept, LoopbackOptions to_server,
                         LoopbackOptions to_client) {
  Place& at = place(name);
  at.kind = Place::Kind::kListens;
  at.accept = std::move(accept);
  at.to_server = to_server;
  at.to_client = to_client;
}

void LoopbackNet::fail(const std::string& name, DialEnd end, Duration wait) {
  PENSTOCK_ASSERT(end != DialEnd::kConnected);
  Place& at = place(name);
  at.kind = Place::Kind::kFails;
  at.end = end;
  at.wait = wait;
}

void LoopbackNet::hang(const std::string& name) { place(name).kind = Place::Kind::kHangs; }

void LoopbackNet::exhaust(const std::string& name) { place(name).kind = Place::Kind::kThrows; }

std::size_t LoopbackNet::open() const {
  std::size_t all = 0;
  for (const auto& [name, place] : places_) all += place->counts.open;
  return all;
}

LoopbackNet::Counts LoopbackNet::counts(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? Counts{} : found->second->counts;
}

runtime::Task<Dialled> LoopbackNet::dial(runtime::EventLoop& loop, const net::Origin& origin,
                                         Duration timeout, runtime::CallContext context) {
  const std::string name = origin.host + ":" + std::to_string(origin.port);
  Place& at = place(name);
  const std::shared_ptr<Place> kept = places_[name];
  ++at.counts.dials;
  if (origin.tls != nullptr) ++at.counts.tls;
  if (at.kind == Place::Kind::kThrows) throw std::bad_alloc();

  Dialled dialled;
  dialled.end = DialEnd::kCancelled;
  if (context.cancellation.requested()) co_return dialled;
  const Place::Kind kind = at.kind;
  const DialEnd end = at.end;
  const TimePoint begun = loop.clock().now();
  const TimePoint own = at.ends_at(begun);
  const TimePoint due = std::min({own, begun + timeout, context.deadline});

  runtime::Alarm alarm(loop);
  const runtime::CancellationHook hook(
      context.cancellation, [](void* to) { static_cast<runtime::Alarm*>(to)->wake_soon(); },
      &alarm);
  if (due == begun) loop.post([&alarm] { alarm.wake(); });  // still never within the call
  const bool woken = co_await alarm.until(due == begun ? TimePoint::max() : due);
  ignore(woken, "the reasons are looked at one by one");
  if (context.cancellation.requested()) co_return dialled;
  if (due != own) {
    if (due == begun + timeout && due != context.deadline) dialled.end = DialEnd::kTimedOut;
    co_return dialled;
  }
  dialled.end = kind == Place::Kind::kListens ? DialEnd::kConnected : end;
  if (dialled.end != DialEnd::kConnected) co_return dialled;
  ++at.counts.connected;
  LoopbackPair pair = loopback(loop_, at.to_server, at.to_client);
  at.accept(std::move(pair.server));
  dialled.stream = std::make_unique<Counted>(std::move(pair.client), kept);
  co_return dialled;
}

}  // namespace penstock::test
