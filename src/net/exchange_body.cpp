// How a request's body is read: the other half of Exchange.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_budget.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "runtime/cancellation.h"
#include "runtime/timer.h"
#include "wire/chunked.h"
#include "wire/framing.h"

namespace penstock::net {

using runtime::Task;

namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::size_t kDrainMax = std::size_t{64} << 10;  // docs/reference/endpoints.md
constexpr std::size_t kGrowStep = std::size_t{64} << 10;  // charged ahead of a chunked body

Error too_large(std::size_t bytes_max) {
  return Error(ErrorCode::kBodyTooLarge,
               "The body is larger than " + std::to_string(bytes_max) + " bytes.");
}
Error memory_full() {
  return Error(ErrorCode::kOverloaded, "The memory for request bodies is full.");
}

}  // namespace

void Exchange::on_body_wait(void* self) noexcept {
  auto& exchange = *static_cast<Exchange*>(self);
  exchange.timed_out_ = true;
  exchange.stream_.cancel_read();
}

// Nobody is in the middle of reading when a stop is requested, and the read ends soon, not here.
void Exchange::on_body_stop(void* self) noexcept {
  static_cast<Exchange*>(self)->stream_.cancel_read();
}

Task<Result<std::string_view>> Exchange::read_body(BodyLimits limits) {
  const wire::Framing framing = head_.framing;
  if (framing.kind == wire::Framing::Kind::kNone) {
    body_read_ = true;
    co_return std::string_view();
  }
  if (framing.kind == wire::Framing::Kind::kLength && framing.length > limits.bytes_max)
    co_return fail(too_large(limits.bytes_max));
  input_.pin();
  if (head_.expect_continue && input_.bytes().empty()) {
    const std::string_view pieces[] = {kContinue};
    if ((co_await Write(stream_, pieces)).end != IoEnd::kOk) {
      client_gone();
      co_return fail(ErrorCode::kInvalidRequest, "The client left.");
    }
  }
  runtime::Timer wait(loop_.timers(), &Exchange::on_body_wait, this);
  wait.arm(loop_.clock().now() + limits.wait);
  const runtime::CancellationHook stop(cancellation_, &Exchange::on_body_stop, this);
  Result<void> read;
  if (framing.kind == wire::Framing::Kind::kLength)
    read = co_await read_sized(limits, framing.length);
  else
    read = co_await read_chunked(limits);
  if (!read) co_return fail(std::move(read).error());
  body_read_ = true;
  co_return body_;
}

// More of the body, or the end of it before its last byte: stopped, too slow, or gone.
Task<Result<void>> Exchange::more_body() {
  const auto stopped = [this] { return timed_out_ || cancellation_.requested(); };
  if (!stopped()) ignore(co_await input_.fill(), "looked at below");
  if (!input_.peer_gone() && !stopped()) co_return Result<void>();
  keep_alive_ = false;
  input_.reopen();
  if (input_.peer_gone() || client_left_) {
    client_gone();
    co_return fail(ErrorCode::kInvalidRequest, "The body ended early.");
  }
  co_return fail(timed_out_ ? ErrorCode::kRequestTimeout : ErrorCode::kDraining);
}

void Exchange::drop_body() noexcept {
  body_ = {};
  sized_body_.reset();
  grown_body_ = std::string();
  body_lease_ = ByteLease();
}

Task<Result<void>> Exchange::read_sized(BodyLimits limits, std::uint64_t length) {
  const auto size = static_cast<std::size_t>(length);
  if (input_.bytes().size() >= size) {  // the usual small request: it came with its head
    body_ = input_.bytes().substr(0, size);
    input_.consume(size);
    co_return Result<void>();
  }
  std::optional<ByteLease> lease = limits.memory.take(Bytes{length});
  if (!lease) co_return fail(memory_full());
  body_lease_ = *std::move(lease);
  sized_body_ = std::make_unique_for_overwrite<char[]>(size);
  std::size_t have = input_.bytes().size();
  std::memcpy(sized_body_.get(), input_.bytes().data(), have);
  input_.consume(have);
  while (have < size) {
    if (input_.reading()) {  // never on a fresh body: no watch has begun
      PENSTOCK_CO_CHECK(co_await more_body());
      const std::size_t got = std::min(input_.bytes().size(), size - have);
      std::memcpy(sized_body_.get() + have, input_.bytes().data(), got);
      input_.consume(got);
      have += got;
      continue;
    }
    const std::span<char> room(sized_body_.get() + have, size - have);
    const IoResult result = co_await Read(stream_, room);
    if (result.end != IoEnd::kOk) {
      input_.ended(result.end);
      PENSTOCK_CO_CHECK(co_await more_body());
    }
    have += result.bytes;
    // Told in the same turn in which bytes came: neither the timer nor the hook calls again.
    if (timed_out_ || cancellation_.requested()) PENSTOCK_CO_CHECK(co_await more_body());
  }
  body_ = {sized_body_.get(), size};
  co_return Result<void>();
}

Task<Result<void>> Exchange::read_chunked(BodyLimits limits) {
  wire::ChunkedDecoder decoder(ErrorCode::kInvalidRequest);
  std::optional<ByteLease> lease = limits.memory.take(Bytes{kGrowStep});
  if (!lease) co_return fail(memory_full());
  body_lease_ = *std::move(lease);
  while (!decoder.done()) {
    while (!decoder.done() && !input_.bytes().empty()) {
      Result<wire::ChunkedDecoder::Piece> piece = decoder.next(input_.bytes());
      if (!piece) {
        keep_alive_ = false;
        co_return fail(std::move(piece).error());
      }
      const std::size_t grown = grown_body_.size() + piece->data.size();
      if (grown > limits.bytes_max) co_return fail(too_large(limits.bytes_max));
      if (!limits.memory.raise(body_lease_, Bytes{grown}, Bytes{kGrowStep}))
        co_return fail(memory_full());
      grown_body_ += piece->data;
      input_.consume(piece->consumed);
    }
    if (!decoder.done()) PENSTOCK_CO_CHECK(co_await more_body());
  }
  body_ = grown_body_;
  co_return Result<void>();
}

// A refused body is read and thrown away only when it is known to be small.
bool Exchange::drainable() const noexcept {
  const wire::Framing& framing = head_.framing;
  if (framing.kind == wire::Framing::Kind::kNone) return true;
  return framing.kind == wire::Framing::Kind::kLength && framing.length <= kDrainMax &&
         body_.empty() && sized_body_ == nullptr && !input_.peer_gone() && !head_.expect_continue;
}

Task<void> Exchange::drain_body(Duration wait, std::size_t bytes_max) {
  runtime::Timer timer(loop_.timers(), &Exchange::on_body_wait, this);
  timer.arm(loop_.clock().now() + wait);
  std::size_t left = bytes_max;
  while (left != 0) {
    const std::size_t got = std::min(left, input_.bytes().size());
    input_.consume(got);
    left -= got;
    if (left == 0) break;
    if (co_await input_.fill() != IoEnd::kOk) break;
  }
}

}  // namespace penstock::net
