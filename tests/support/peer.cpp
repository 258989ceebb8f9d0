#include "tests/support/peer.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "net/byte_stream.h"
#include "tests/support/manual_loop.h"

namespace penstock::test {

using net::IoEnd;
using net::IoResult;

Peer::Peer(ManualLoop& loop, std::unique_ptr<net::ByteStream> stream, Reading reading)
    : loop_(loop), stream_(std::move(stream)), paused_(reading == Reading::kPaused) {
  pump_reads();
}

Peer::~Peer() {
  on_arrival_ = nullptr;
  leave();
  loop_.run_until_idle();
  PENSTOCK_ASSERT(stream_ == nullptr);
}

void Peer::send(std::string_view bytes) {
  PENSTOCK_ASSERT(!half_close_);
  if (leaving_) return;
  queued_ += bytes;
  pump_writes();
}

void Peer::pump_writes() {
  while (!writing_ && !queued_.empty() && !leaving_) {
    sending_ = std::exchange(queued_, {});
    const std::string_view pieces[] = {sending_};
    writing_ = true;
    const auto now = stream_->start_write(pieces, write_waiter_);
    if (!now) return;
    writing_ = false;
    sending_.clear();
    if (now->end != IoEnd::kOk) queued_.clear();
  }
  if (writing_ || leaving_) return;
  if (half_close_) stream_->shut_down_writing();
  if (leave_when_sent_) leave();
}

void Peer::write_done(IoResult result) {
  writing_ = false;
  sending_.clear();
  if (result.end != IoEnd::kOk) queued_.clear();
  if (leaving_) return let_go();
  pump_writes();
}

void Peer::pump_reads() {
  while (!reading_ && !paused_ && !leaving_ && !over()) {
    reading_ = true;
    const auto now = stream_->start_read(room_, read_waiter_);
    if (!now) return;
    reading_ = false;
    take_read(*now);
  }
}

void Peer::take_read(IoResult result) {
  if (result.end == IoEnd::kOk)
    received_.append(room_.data(), result.bytes);
  else
    end_ = result.end;
  if (on_arrival_) on_arrival_();
}

void Peer::read_done(IoResult result) {
  reading_ = false;
  if (leaving_) return let_go();
  take_read(result);
  pump_reads();
}

void Peer::resume_reading() {
  paused_ = false;
  pump_reads();
}

void Peer::half_close() {
  half_close_ = true;
  pump_writes();
}

void Peer::leave_with_reset() {
  if (stream_ != nullptr) stream_->reset_on_close();
  leave();
}

void Peer::leave() {
  if (std::exchange(leaving_, true) || stream_ == nullptr) return;
  queued_.clear();
  stream_->cancel();
  let_go();
}

void Peer::leave_after_sending() {
  leave_when_sent_ = true;
  if (!writing_) leave();
}

void Peer::let_go() {
  if (!reading_ && !writing_) stream_.reset();
}

}  // namespace penstock::test
