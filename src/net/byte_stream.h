#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace penstock::net {

// How a read or a write ended.
enum class IoEnd : std::uint8_t {
  kOk,         // at least one byte read; everything written
  kEof,        // the peer will send no more
  kReset,      // the connection broke
  kCancelled,  // ended by cancel()
};

struct IoResult {
  IoEnd end = IoEnd::kOk;
  std::size_t bytes = 0;
};

// Told when a pending operation ends; never from inside the call that started it.
class IoWaiter {
 public:
  virtual void complete(IoResult result) noexcept = 0;

 protected:
  ~IoWaiter() = default;
};

// One connection's bytes, both ways, on one thread. At most one read and one write pending; the
// memory that an operation was given stays valid until it ended. Whoever ends a stream with an
// operation pending cancels it and waits for its end first.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Reads at least one byte into `into` (not empty). An answer now, or later through `waiter`.
  [[nodiscard]] virtual std::optional<IoResult> start_read(std::span<char> into,
                                                           IoWaiter& waiter) = 0;
  // Writes all of `pieces` (at most kPiecesMax, none empty) in order. The list itself is copied,
  // its bytes are not.
  [[nodiscard]] virtual std::optional<IoResult> start_write(
      std::span<const std::string_view> pieces, IoWaiter& waiter) = 0;
  // How much of all that was written, a pending write included, the peer's side has taken so far.
  [[nodiscard]] virtual std::uint64_t bytes_taken() const noexcept = 0;
  // Whether bytes, or an end, have arrived that no read has taken. Looks now; never waits.
  [[nodiscard]] virtual bool has_unread() noexcept = 0;
  // Ends pending operations with kCancelled, soon. The stream is only good for closing after it.
  virtual void cancel() noexcept = 0;
  // Ends a pending read with kCancelled, soon; writing goes on.
  virtual void cancel_read() noexcept = 0;
  // Sends what says "no more" to the peer; reading goes on. Errors are not told.
  virtual void shut_down_writing() noexcept = 0;
  // Makes the close to come a reset, so that the peer cannot take it for a proper end.
  virtual void reset_on_close() noexcept = 0;

  static constexpr std::size_t kPiecesMax = 24;
};

// co_await Read(stream, memory)
class [[nodiscard]] Read final : public IoWaiter {
 public:
  Read(ByteStream& stream, std::span<char> into) noexcept : stream_(stream), into_(into) {}
  [[nodiscard]] bool await_ready() {
    result_ = stream_.start_read(into_, *this);
    return result_.has_value();
  }
  void await_suspend(std::coroutine_handle<> caller) noexcept { caller_ = caller; }
  [[nodiscard]] IoResult await_resume() const noexcept { return *result_; }
  void complete(IoResult result) noexcept override {
    result_ = result;
    caller_.resume();
  }

 private:
  ByteStream& stream_;
  std::span<char> into_;
  std::coroutine_handle<> caller_;
  std::optional<IoResult> result_;
};

// co_await Write(stream, pieces)
class [[nodiscard]] Write final : public IoWaiter {
 public:
  Write(ByteStream& stream, std::span<const std::string_view> pieces) noexcept
      : stream_(stream), pieces_(pieces) {}
  [[nodiscard]] bool await_ready() {
    result_ = stream_.start_write(pieces_, *this);
    return result_.has_value();
  }
  void await_suspend(std::coroutine_handle<> caller) noexcept { caller_ = caller; }
  [[nodiscard]] IoResult await_resume() const noexcept { return *result_; }
  void complete(IoResult result) noexcept override {
    result_ = result;
    caller_.resume();
  }

 private:
  ByteStream& stream_;
  std::span<const std::string_view> pieces_;
  std::coroutine_handle<> caller_;
  std::optional<IoResult> result_;
};

}  // namespace penstock::net
