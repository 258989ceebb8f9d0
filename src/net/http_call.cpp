#include "net/http_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "net/arrival.h"
#include "net/byte_stream.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/timer.h"
#include "wire/framing.h"
#include "wire/head_limits.h"
#include "wire/response_head.h"

namespace penstock::net {

using runtime::Task;
using wire::Framing;

HttpCall::HttpCall(ByteStream& stream, Input& input, runtime::EventLoop& loop,
                   runtime::Cancellation& cancellation)
    : stream_(stream),
      input_(input),
      loop_(loop),
      cancellation_(cancellation),
      arrival_(input, loop, cancellation),
      parser_(wire::HeadLimits{}),
      chunks_(ErrorCode::kUpstreamBadResponse) {}

HttpCall::~HttpCall() { input_.release(); }

void HttpCall::abort(void* self) noexcept {
  auto& call = *static_cast<HttpCall*>(self);
  call.broken_ = true;
  call.stream_.cancel();
}

Task<IoEnd> HttpCall::send(std::span<const std::string_view> pieces, TimePoint due) {
  while (!pieces.empty()) {
    if (cancellation_.requested()) {  // hooks are not told of a stop that came before them
      broken_ = true;
      co_return IoEnd::kCancelled;
    }
    const auto some = pieces.first(std::min(pieces.size(), ByteStream::kPiecesMax));
    pieces = pieces.subspan(some.size());
    Write write(stream_, some);
    runtime::Timer timer(loop_.timers(), &HttpCall::abort, this);
    const runtime::CancellationHook hook(cancellation_, &HttpCall::abort, this);
    timer.arm(due);
    if (const IoResult result = co_await write; result.end != IoEnd::kOk) {
      broken_ = true;
      co_return result.end;
    }
  }
  co_return IoEnd::kOk;
}

Task<HeadEnd> HttpCall::read_head(TimePoint due) {
  int interim = 0;
  while (true) {
    while (!input_.bytes().empty()) {
      heard_ = true;
      Result<std::optional<std::size_t>> length =
          parser_.parse(input_.bytes(), wire::RequestMethod::kOther, head_);
      if (!length) {
        detail_ = std::move(length).error().message;
        co_return HeadEnd::kMalformed;
      }
      if (!*length) break;
      input_.pin();
      input_.consume(**length);
      if (!head_.interim()) {
        left_ = head_.framing.length;
        co_return HeadEnd::kHead;
      }
      input_.release();
      if (++interim > kInterimMax) {
        detail_ = "more interim replies than " + std::to_string(kInterimMax);
        co_return HeadEnd::kMalformed;
      }
    }
    if (input_.peer_gone()) co_return heard_ ? HeadEnd::kCut : HeadEnd::kClosed;
    switch (co_await arrival_.until(due)) {
      case Wake::kStop: co_return HeadEnd::kStopped;
      case Wake::kTime: co_return HeadEnd::kTimedOut;
      case Wake::kInput: break;
    }
  }
}

HttpCall::Piece HttpCall::next() {
  if (complete_ || head_.framing.kind == Framing::Kind::kNone) {
    complete_ = true;
    return {Step::kEnd, {}};
  }
  const std::string_view bytes = input_.bytes();
  if (head_.framing.kind == Framing::Kind::kLength && left_ == 0) {
    complete_ = true;
    return {Step::kEnd, {}};
  }
  if (bytes.empty()) {
    if (!input_.peer_gone()) return {Step::kMore, {}};
    if (head_.framing.kind == Framing::Kind::kUntilClose && input_.end() == IoEnd::kEof) {
      complete_ = true;
      return {Step::kEnd, {}};
    }
    return {Step::kCut, {}};
  }
  switch (head_.framing.kind) {
    case Framing::Kind::kNone: break;
    case Framing::Kind::kUntilClose: input_.consume(bytes.size()); return {Step::kData, bytes};
    case Framing::Kind::kLength: {
      const std::string_view data =
          bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
      left_ -= data.size();
      input_.consume(data.size());
      return {Step::kData, data};
    }
    case Framing::Kind::kChunked: break;
  }
  return next_chunk();
}

HttpCall::Piece HttpCall::next_chunk() {
  while (!input_.bytes().empty()) {
    Result<wire::ChunkedDecoder::Piece> piece = chunks_.next(input_.bytes());
    if (!piece) {
      broken_ = true;
      detail_ = std::move(piece).error().message;
      return {Step::kMalformed, {}};
    }
    input_.consume(piece->consumed);
    complete_ = piece->done;
    if (!piece->data.empty()) return {Step::kData, piece->data};
    if (complete_) return {Step::kEnd, {}};
  }
  return {input_.peer_gone() ? Step::kCut : Step::kMore, {}};
}

bool HttpCall::reusable() const noexcept {
  return complete_ && !broken_ && head_.keep_alive && !input_.peer_gone() && input_.bytes().empty();
}

runtime::Task<BodyEnd> read_whole(HttpCall& call, TimePoint due, std::size_t bytes_max,
                                  std::string& body) {
  while (true) {
    const HttpCall::Piece piece = call.next();
    switch (piece.step) {
      case HttpCall::Step::kEnd: co_return BodyEnd::kWhole;
      case HttpCall::Step::kCut:
      case HttpCall::Step::kMalformed: co_return BodyEnd::kCut;
      case HttpCall::Step::kData:
        if (body.size() + piece.data.size() > bytes_max) co_return BodyEnd::kTooLong;
        body += piece.data;
        break;
      case HttpCall::Step::kMore:
        if (co_await call.arrival().until(due) != Wake::kInput) co_return BodyEnd::kLate;
        break;
    }
  }
}

}  // namespace penstock::net
