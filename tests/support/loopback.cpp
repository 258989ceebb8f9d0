#include "tests/support/loopback.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "net/byte_stream.h"
#include "tests/support/manual_loop.h"

namespace penstock::test {
namespace {

using net::IoEnd;
using net::IoResult;
using net::IoWaiter;

// One direction: what was written and not read, and who waits at either end.
struct Pipe {
  struct PendingRead {
    std::span<char> into;
    IoWaiter* waiter = nullptr;
  };
  struct PendingWrite {
    std::array<std::string_view, net::ByteStream::kPiecesMax> pieces;
    std::size_t count = 0;
    std::size_t next = 0;
    std::size_t written = 0;
    IoWaiter* waiter = nullptr;
  };

  LoopbackOptions options;
  std::string buffer;
  std::size_t delivered = 0;
  std::optional<PendingRead> read;
  std::optional<PendingWrite> write;
  bool ended = false;        // the writer will write no more
  bool reader_gone = false;  // nobody will read any more
  bool reset = false;
  bool read_cancelled = false;    // only for the pending read
  bool reader_cancelled = false;  // for good
  bool writer_cancelled = false;
  bool wake_posted = false;
  bool drained = false;  // the last read left room: the next one waits for the loop

  // What a read gets now; nullopt: nothing yet.
  std::optional<IoResult> try_read(std::span<char> into);
  // Takes what fits; nullopt while the buffer is full.
  std::optional<IoResult> try_write(PendingWrite& pending);
};

std::optional<IoResult> Pipe::try_read(std::span<char> into) {
  if (reader_cancelled || read_cancelled) return IoResult{IoEnd::kCancelled, 0};
  if (delivered >= options.stall_after) return std::nullopt;
  if (delivered >= options.reset_after) reset = true;
  if (reset) return IoResult{IoEnd::kReset, 0};
  if (delivered >= options.cut_after) return IoResult{IoEnd::kEof, 0};
  const std::size_t until = std::min({options.reset_after, options.cut_after, options.stall_after});
  const std::size_t count =
      std::min({buffer.size(), into.size(), options.bytes_per_read, until - delivered});
  if (count != 0) {
    std::memcpy(into.data(), buffer.data(), count);
    buffer.erase(0, count);
    delivered += count;
    return IoResult{IoEnd::kOk, count};
  }
  if (buffer.empty() && !write && ended) return IoResult{IoEnd::kEof, 0};
  return std::nullopt;
}

std::optional<IoResult> Pipe::try_write(PendingWrite& pending) {
  if (writer_cancelled) return IoResult{IoEnd::kCancelled, pending.written};
  if (reset || reader_gone) return IoResult{IoEnd::kReset, pending.written};
  while (pending.next < pending.count) {
    std::string_view& piece = pending.pieces[pending.next];
    const std::size_t count = std::min(piece.size(), options.capacity - buffer.size());
    buffer.append(piece.substr(0, count));
    piece.remove_prefix(count);
    pending.written += count;
    if (!piece.empty()) return std::nullopt;
    ++pending.next;
  }
  return IoResult{IoEnd::kOk, pending.written};
}

struct Link {
  explicit Link(ManualLoop& on) : loop(on) {}
  ManualLoop& loop;
  Pipe to_server;
  Pipe to_client;
};

void wake(const std::shared_ptr<Link>& link, Pipe& pipe);

// A reset met in one direction breaks the other one too.
void spread_reset(const std::shared_ptr<Link>& link) {
  if (link->to_server.reset == link->to_client.reset) return;
  link->to_server.reset = link->to_client.reset = true;
  wake(link, link->to_server);
  wake(link, link->to_client);
}

// Ends what can end now, on the loop: first the write, whose bytes the read may be waiting for.
void turn(const std::shared_ptr<Link>& link, Pipe& pipe) {
  pipe.wake_posted = false;
  if (pipe.write) {
    if (const auto done = pipe.try_write(*pipe.write)) {
      IoWaiter& waiter = *pipe.write->waiter;
      pipe.write.reset();
      waiter.complete(*done);
    }
  }
  if (!pipe.read) return;
  const auto done = pipe.try_read(pipe.read->into);
  if (!done) return;
  IoWaiter& waiter = *pipe.read->waiter;
  pipe.drained = done->bytes < pipe.read->into.size();
  pipe.read.reset();
  pipe.read_cancelled = false;
  spread_reset(link);
  wake(link, pipe);  // a writer may have room now
  waiter.complete(*done);
}

void wake(const std::shared_ptr<Link>& link, Pipe& pipe) {
  if (pipe.wake_posted || (!pipe.read && !pipe.write)) return;
  pipe.wake_posted = true;
  link->loop.post([link, &pipe] { turn(link, pipe); });
}

class LoopbackStream final : public net::ByteStream {
 public:
  LoopbackStream(std::shared_ptr<Link> link, Pipe& in, Pipe& out)
      : link_(std::move(link)), in_(in), out_(out) {}
  ~LoopbackStream() override;

  std::optional<IoResult> start_read(std::span<char> into, IoWaiter& waiter) override;
  std::optional<IoResult> start_write(std::span<const std::string_view> pieces,
                                      IoWaiter& waiter) override;
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept override {
    return out_.delivered + out_.buffer.size();
  }
  [[nodiscard]] bool has_unread() noexcept override {
    return !in_.buffer.empty() || in_.ended || in_.reset;
  }
  void cancel() noexcept override;
  void cancel_read() noexcept override;
  void shut_down_writing() noexcept override;
  void reset_on_close() noexcept override { reset_on_close_ = true; }

 private:
  void wake_both();

  std::shared_ptr<Link> link_;
  Pipe& in_;
  Pipe& out_;
  bool reset_on_close_ = false;
};

LoopbackStream::~LoopbackStream() {
  PENSTOCK_ASSERT(!in_.read && !out_.write);
  out_.ended = true;
  in_.reader_gone = true;
  if (reset_on_close_ || !in_.buffer.empty()) in_.reset = out_.reset = true;
  wake_both();
}

void LoopbackStream::wake_both() {
  wake(link_, in_);
  wake(link_, out_);
}

std::optional<IoResult> LoopbackStream::start_read(std::span<char> into, IoWaiter& waiter) {
  PENSTOCK_ASSERT(!in_.read && !into.empty());
  if (!in_.drained || in_.reader_cancelled) {
    if (const auto now = in_.try_read(into)) {
      in_.drained = now->bytes < into.size();
      spread_reset(link_);
      wake(link_, in_);  // a writer may have room now
      return now;
    }
  }
  in_.read = Pipe::PendingRead{into, &waiter};
  wake(link_, in_);
  return std::nullopt;
}

std::optional<IoResult> LoopbackStream::start_write(std::span<const std::string_view> pieces,
                                                    IoWaiter& waiter) {
  PENSTOCK_ASSERT(!out_.write && !pieces.empty() && pieces.size() <= kPiecesMax);
  if (out_.ended) return IoResult{IoEnd::kReset, 0};
  if (out_.reader_gone && !out_.reset) {  // answered by a reset, which overtakes what was sent
    out_.reset = true;
    spread_reset(link_);
  }
  Pipe::PendingWrite pending;
  for (const std::string_view piece : pieces) {
    PENSTOCK_ASSERT(!piece.empty());
    pending.pieces[pending.count++] = piece;
  }
  if (const auto now = out_.try_write(pending)) {
    wake(link_, out_);
    return now;
  }
  pending.waiter = &waiter;
  out_.write = pending;
  wake(link_, out_);
  return std::nullopt;
}

void LoopbackStream::cancel() noexcept {
  in_.reader_cancelled = true;
  out_.writer_cancelled = true;
  wake_both();
}

void LoopbackStream::cancel_read() noexcept {
  if (!in_.read) return;
  in_.read_cancelled = true;
  wake(link_, in_);
}

void LoopbackStream::shut_down_writing() noexcept {
  out_.ended = true;
  wake(link_, out_);
}

}  // namespace

LoopbackPair loopback(ManualLoop& loop, LoopbackOptions to_server, LoopbackOptions to_client) {
  auto link = std::make_shared<Link>(loop);
  link->to_server.options = to_server;
  link->to_client.options = to_client;
  Link& both = *link;
  return LoopbackPair{
      .client = std::make_unique<LoopbackStream>(link, both.to_client, both.to_server),
      .server = std::make_unique<LoopbackStream>(link, both.to_server, both.to_client)};
}

}  // namespace penstock::test
