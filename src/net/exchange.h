#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_budget.h"
#include "base/result.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/timer.h"
#include "wire/request_head.h"

namespace penstock::net {

// How far a request's body may go.
struct BodyLimits {
  ByteBudget& memory;     // charged before the bytes are read
  std::size_t bytes_max;  // of the body without its framing
  Duration wait;          // from the start of the read to the body's last byte
};

// Where a reply ends for the client.
struct ReplyFraming {
  enum class Kind : std::uint8_t {
    kLength,
    kStream,  // chunked, or until close for HTTP/1.0
  };
  Kind kind = Kind::kStream;
  std::uint64_t length = 0;
};

// One request and its reply on a client's connection. Lives while it is being served, on the
// connection's thread; the head and the body may be viewed for as long.
class Exchange {
 public:
  Exchange(ByteStream& stream, Input& input, runtime::EventLoop& loop, Duration write_stall);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  [[nodiscard]] const wire::RequestHead& head() const noexcept { return head_; }
  // Overwrites bytes of the head, a credential that nobody reads again. Views of them read zeros.
  void forget(std::string_view part_of_head) noexcept;
  // When the head was complete.
  [[nodiscard]] TimePoint started() const noexcept { return started_; }
  // Tells when to stop; requested by the exchange itself when the client leaves.
  [[nodiscard]] runtime::Cancellation& cancellation() noexcept { return cancellation_; }

  // The client left, stalled or half-closed; also when something else had stopped the request
  // first.
  [[nodiscard]] bool client_left() const noexcept { return client_left_; }

  // The request came when its connection was to serve no more, because the server leaves: it is
  // owed a refusal (kDraining) and nothing else.
  [[nodiscard]] bool late() const noexcept { return late_; }

  // Reads the whole body. The bytes stay valid until drop_body(), or for the exchange's life.
  // errors: kBodyTooLarge before it is read, or as soon as it has grown too long; kOverloaded when
  // the memory bound is reached; kRequestTimeout; kDraining when it was told to stop by shutdown;
  // kInvalidRequest for broken chunks or a body that ends early (nobody is there to be told then).
  [[nodiscard]] runtime::Task<Result<std::string_view>> read_body(BodyLimits limits);

  // Gives the body's memory back, and its charge: nothing views the body any more.
  void drop_body() noexcept;

  // From here on a departure of the client is noticed and requests cancellation. After the body.
  void watch_client() noexcept;

  // Sends a whole reply. `head`: status line and fields, without framing, Connection and the
  // empty line; `body`: not needed after the wait.
  [[nodiscard]] runtime::Task<IoEnd> reply(std::string head,
                                           std::span<const std::string_view> body);

  // Fixes the status; it leaves with the first write().
  void begin(std::string head, ReplyFraming framing);
  [[nodiscard]] bool begun() const noexcept { return begun_; }

  // The request's deadline: a client that reads slowly has `write_stall` beyond it, however much it
  // takes meanwhile, then it is gone.
  void end_writes_behind(TimePoint deadline) noexcept;

  // co_await write(pieces): some of the body, all pieces as one HTTP chunk. At most kWritePieces.
  // Waits while the client does not read; one that stalls past `write_stall` is gone.
  static constexpr std::size_t kWritePieces = ByteStream::kPiecesMax - 4;
  class [[nodiscard]] Send final : public IoWaiter {
   public:
    Send(Exchange& exchange, std::span<const std::string_view> pieces, std::string_view last);
    [[nodiscard]] bool await_ready();
    void await_suspend(std::coroutine_handle<> caller) noexcept { caller_ = caller; }
    [[nodiscard]] IoEnd await_resume() noexcept;
    void complete(IoResult result) noexcept override;

   private:
    Exchange& exchange_;
    std::array<std::string_view, ByteStream::kPiecesMax> pieces_;
    std::size_t count_ = 0;
    std::array<char, 20> chunk_head_;
    std::coroutine_handle<> caller_;
    std::optional<IoResult> result_;
  };
  [[nodiscard]] Send write(std::span<const std::string_view> pieces) {
    return Send(*this, pieces, {});
  }
  // Ends the body as its framing says, with these last pieces in the same packet.
  [[nodiscard]] Send finish(std::span<const std::string_view> pieces = {});

  // The reply cannot be completed: the connection is broken visibly.
  void break_off() noexcept;
  // No further request on this connection.
  void close_after() noexcept { keep_alive_ = false; }

 private:
  friend class Connection;
  friend class Send;

  runtime::Task<Result<void>> read_sized(BodyLimits limits, std::uint64_t length);
  runtime::Task<Result<void>> read_chunked(BodyLimits limits);
  runtime::Task<Result<void>> more_body();
  runtime::Task<void> drain_body(Duration wait, std::size_t bytes_max);
  [[nodiscard]] bool drainable() const noexcept;
  void append_connection_fields(std::string& head) const;
  void client_gone() noexcept;
  void note_reading(TimePoint now) noexcept;
  void arm_stall(TimePoint now) noexcept;
  static void on_input(void* self) noexcept;
  static void on_stall(void* self) noexcept;
  static void on_body_wait(void* self) noexcept;
  static void on_body_stop(void* self) noexcept;

  ByteStream& stream_;
  Input& input_;
  runtime::EventLoop& loop_;
  Duration write_stall_;
  TimePoint writes_end_ = TimePoint::max();
  runtime::Timer timer_;            // of a write that waits
  std::uint64_t taken_before_ = 0;  // by the client, when it was last seen to take something
  TimePoint reading_until_{};       // unless it takes more by then, it has stalled
  runtime::Cancellation cancellation_;
  wire::RequestHead head_;
  TimePoint started_{};

  std::string_view body_;
  std::unique_ptr<char[]> sized_body_;
  std::string grown_body_;
  ByteLease body_lease_;
  bool body_read_ = false;  // the body's last byte was taken off the input
  bool timed_out_ = false;

  std::string reply_head_;  // not sent yet
  ReplyFraming framing_;
  bool begun_ = false;
  bool finished_ = false;
  bool broken_ = false;
  bool writing_ = false;
  bool starting_watch_ = false;
  bool client_left_ = false;
  bool late_ = false;
  bool input_arrived_ = false;
  bool keep_alive_ = true;
  bool chunked_ = false;
  bool bodiless_ = false;  // HEAD
};

}  // namespace penstock::net
