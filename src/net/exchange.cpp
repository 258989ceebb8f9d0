#include "net/exchange.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/units.h"
#include "base/wipe.h"
#include "net/byte_stream.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "wire/chunked.h"
#include "wire/head_writer.h"

namespace penstock::net {

using runtime::StopReason;
using runtime::Task;

namespace {

constexpr int kStallLooks = 8;  // so a stall is noticed at most an eighth of its bound late

}  // namespace

Exchange::Exchange(ByteStream& stream, Input& input, runtime::EventLoop& loop, Duration write_stall)
    : stream_(stream),
      input_(input),
      loop_(loop),
      write_stall_(write_stall),
      timer_(loop.timers(), &Exchange::on_stall, this) {}

Exchange::~Exchange() { input_.unwatch(); }

void Exchange::client_gone() noexcept {
  client_left_ = true;
  keep_alive_ = false;
  if (writing_) stream_.cancel();
  cancellation_.request(StopReason::kClientGone);
}

// Bytes that come early belong to the next request; the watch goes on while there is room for
// more, so that a client that pipelines and leaves is noticed too.
void Exchange::on_input(void* self) noexcept {
  auto& exchange = *static_cast<Exchange*>(self);
  exchange.input_arrived_ = true;
  if (!exchange.starting_watch_) exchange.watch_client();
}

void Exchange::watch_client() noexcept {
  input_.pin();
  while (!input_.peer_gone() && input_.bytes().size() < Input::kLarge) {
    input_arrived_ = false;
    starting_watch_ = true;
    input_.watch(&Exchange::on_input, this);
    starting_watch_ = false;
    if (!input_arrived_) return;
  }
  if (input_.peer_gone()) client_gone();
}

// Looks several times a stall, so that one is noticed not much later than it is one.
void Exchange::on_stall(void* self) noexcept {
  auto& exchange = *static_cast<Exchange*>(self);
  const TimePoint now = exchange.loop_.clock().now();
  const bool reads = exchange.stream_.bytes_taken() != exchange.taken_before_;
  if (reads) exchange.note_reading(now);
  if (now < std::min(exchange.reading_until_, exchange.writes_end_)) return exchange.arm_stall(now);
  exchange.timed_out_ = true;
  exchange.client_gone();
}

// The client took something: it has the whole of `write_stall` from here.
void Exchange::note_reading(TimePoint now) noexcept {
  taken_before_ = stream_.bytes_taken();
  reading_until_ = now + write_stall_;
}

void Exchange::arm_stall(TimePoint now) noexcept {
  timer_.arm(std::min({now + write_stall_ / kStallLooks, reading_until_, writes_end_}));
}

void Exchange::end_writes_behind(TimePoint deadline) noexcept {
  writes_end_ =
      deadline < TimePoint::max() - write_stall_ ? deadline + write_stall_ : TimePoint::max();
}

void Exchange::append_connection_fields(std::string& head) const {
  if (!keep_alive_)
    head += "connection: close\r\n";
  else if (head_.version_minor == 0)
    head += "connection: keep-alive\r\n";
}

// The views of a head look into the input's memory, which is ours to write.
void Exchange::forget(std::string_view part_of_head) noexcept {
  wipe(const_cast<char*>(part_of_head.data()), part_of_head.size());
}

Task<IoEnd> Exchange::reply(std::string head, std::span<const std::string_view> body) {
  std::uint64_t length = 0;
  for (const std::string_view piece : body) length += piece.size();
  begin(std::move(head), ReplyFraming{ReplyFraming::Kind::kLength, length});
  while (body.size() > kWritePieces) {
    if (const IoEnd end = co_await write(body.first(kWritePieces)); end != IoEnd::kOk)
      co_return end;
    body = body.subspan(kWritePieces);
  }
  co_return co_await finish(body);
}

void Exchange::begin(std::string head, ReplyFraming framing) {
  PENSTOCK_ASSERT(!begun_);
  begun_ = true;
  framing_ = framing;
  reply_head_ = std::move(head);
  if (!body_read_ && !drainable()) keep_alive_ = false;
  if (framing.kind == ReplyFraming::Kind::kLength) {
    wire::append_header(reply_head_, "content-length", framing.length);
  } else if (head_.version_minor == 0) {
    keep_alive_ = false;
  } else {
    chunked_ = true;
    reply_head_ += "transfer-encoding: chunked\r\n";
  }
  append_connection_fields(reply_head_);
  reply_head_ += wire::kHeadEnd;
}

Exchange::Send Exchange::finish(std::span<const std::string_view> pieces) {
  finished_ = true;
  return Send(*this, pieces, chunked_ && !bodiless_ ? wire::kLastChunk : std::string_view());
}

void Exchange::break_off() noexcept {
  broken_ = true;
  keep_alive_ = false;
}

Exchange::Send::Send(Exchange& exchange, std::span<const std::string_view> pieces,
                     std::string_view last)
    : exchange_(exchange) {
  PENSTOCK_ASSERT(exchange.begun_ && pieces.size() <= kWritePieces);
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  if (!exchange.reply_head_.empty()) pieces_[count_++] = exchange.reply_head_;
  if (size != 0 && !exchange.bodiless_) {
    if (exchange.chunked_) {
      char* end = std::to_chars(chunk_head_.data(), chunk_head_.data() + 16, size, 16).ptr;
      *end++ = '\r';
      *end++ = '\n';
      pieces_[count_++] = {chunk_head_.data(), static_cast<std::size_t>(end - chunk_head_.data())};
    }
    for (const std::string_view piece : pieces)
      if (!piece.empty()) pieces_[count_++] = piece;
    if (exchange.chunked_) pieces_[count_++] = wire::kChunkEnd;
  }
  if (!last.empty()) pieces_[count_++] = last;
}

bool Exchange::Send::await_ready() {
  if (exchange_.client_left_) {
    result_ = IoResult{IoEnd::kReset, 0};
    return true;
  }
  if (count_ == 0) {
    result_ = IoResult{};
    return true;
  }
  result_ = exchange_.stream_.start_write({pieces_.data(), count_}, *this);
  if (result_) return true;
  exchange_.writing_ = true;
  const TimePoint now = exchange_.loop_.clock().now();
  exchange_.note_reading(now);
  exchange_.arm_stall(now);
  return false;
}

void Exchange::Send::complete(IoResult result) noexcept {
  exchange_.writing_ = false;
  exchange_.timer_.disarm();
  result_ = result;
  caller_.resume();
}

IoEnd Exchange::Send::await_resume() noexcept {
  exchange_.reply_head_ = std::string();
  if (result_->end != IoEnd::kOk) {
    exchange_.broken_ = true;  // also when it was the last write: it must not look complete
    exchange_.client_gone();
  }
  return result_->end;
}

}  // namespace penstock::net
