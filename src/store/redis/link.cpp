#include "store/redis/link.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/redis/call.h"
#include "store/redis/connection.h"
#include "store/redis/outage.h"
#include "store/redis/reply_parser.h"
#include "store/redis/value.h"

namespace penstock::store::redis {

Link::Link(runtime::EventLoop& loop, std::unique_ptr<Connection> connection, Duration timeout,
           LinkUser& user)
    : loop_(loop),
      connection_(std::move(connection)),
      timeout_(timeout),
      user_(user),
      timer_(loop.timers(), &Link::on_time, this) {}

void Link::send(std::unique_ptr<Call> call) {
  PENSTOCK_ASSERT(open_);
  call->sent = true;
  call->expires = loop_.clock().now() + timeout_;
  append_call(out_, *call, tell(*call));
  if (in_flight_.empty()) timer_.arm(call->expires);
  in_flight_.push_back(std::move(call));
  flush();
}

Introduce Link::tell(const Call& call) {
  if (std::ranges::find(told_, call.script->sha()) != told_.end()) return Introduce::kNo;
  if (told_.size() == kToldMax) told_.clear();
  told_.push_back(call.script->sha());
  return call.whole_text ? Introduce::kNo : Introduce::kYes;
}

void Link::flush() {
  while (open_ && !writing_ && !out_.empty()) {
    std::swap(out_, written_);
    out_.clear();
    const std::array pieces = {std::string_view(written_)};
    writing_ = true;
    const std::optional<net::IoResult> now = connection_->stream->start_write(pieces, *this);
    if (!now) return;
    writing_ = false;
    if (now->end != net::IoEnd::kOk) return end(OutageReason::kAway);
  }
}

void Link::complete(net::IoResult result) noexcept {
  writing_ = false;
  if (result.end == net::IoEnd::kOk)
    flush();
  else
    end(OutageReason::kAway);
  if (!writing_ && settler_) std::exchange(settler_, {}).resume();
}

void Link::look_at_time() {
  if (in_flight_.empty()) return;
  const TimePoint due = in_flight_.front()->expires;
  if (due > loop_.clock().now()) return timer_.arm(due);
  end(OutageReason::kTimedOut);
}

void Link::end(OutageReason why) {
  if (!open_) return;
  open_ = false;
  timer_.disarm();
  connection_->stream->cancel();
  std::deque<std::unique_ptr<Call>> lost = std::exchange(in_flight_, {});
  const TimePoint began = lost.empty() ? loop_.clock().now() : lost.front()->began;
  user_.link_ended(why, lost.empty() ? WasBusy::kNo : WasBusy::kYes, began);
  for (std::unique_ptr<Call>& call : lost) user_.lost(std::move(call), why);
}

void Link::finish() {
  finishing_ = true;
  if (in_flight_.empty()) end(OutageReason::kClosing);
}

runtime::Task<void> Link::serve() {
  while (open_) {
    const net::IoEnd ended = co_await connection_->input.fill();
    if (!open_) break;
    if (ended == net::IoEnd::kOk)
      take_replies();
    else
      end(connection_->parser.within() ? OutageReason::kMalformed : OutageReason::kAway);
  }
  connection_->stream->cancel();
  co_await connection_->input.settle();
  co_await Written(*this);
}

void Link::take_replies() {
  std::string_view bytes = connection_->input.bytes();
  connection_->input.consume(bytes.size());  // they stay until the next read
  while (open_ && !bytes.empty()) {
    const ReplyParser::Step step = connection_->parser.next(bytes);
    if (step == ReplyParser::Step::kBroken) return end(OutageReason::kMalformed);
    if (step == ReplyParser::Step::kReply) on_reply(connection_->parser.take());
  }
}

void Link::on_reply(Value reply) {
  if (in_flight_.empty()) return end(OutageReason::kMismatched);  // nobody asked
  if (in_flight_.front()->skip != 0) {
    --in_flight_.front()->skip;
    return;
  }
  if (reply.kind != ValueKind::kError) {
    const bool list = reply.kind == ValueKind::kList && !reply.list.empty() &&
                      reply.list.front().kind == ValueKind::kText;
    if (!list) return end(OutageReason::kMalformed);
    if (reply.list.front().text != in_flight_.front()->id_text())
      return end(OutageReason::kMismatched);
  }
  std::unique_ptr<Call> call = std::move(in_flight_.front());
  in_flight_.pop_front();
  user_.replied(std::move(call), std::move(reply));
  if (finishing_ && in_flight_.empty()) end(OutageReason::kClosing);
}

}  // namespace penstock::store::redis
