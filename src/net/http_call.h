#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "net/arrival.h"
#include "net/byte_stream.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "wire/chunked.h"
#include "wire/response_head.h"

namespace penstock::net {

// How waiting for a reply head ended.
enum class HeadEnd : std::uint8_t {
  kHead,       // head() is there
  kClosed,     // the connection ended before any byte of a head
  kCut,        // it ended within a head
  kMalformed,  // not HTTP, or HTTP that could be read in two ways
  kTimedOut,
  kStopped,  // the request was told to stop
};

// One request and its reply on a connection to a replica. The connection is lent: it must be left
// alone until this ends, and can be used again only when reusable() says so.
class HttpCall {
 public:
  // Interim heads (1xx) skipped in front of one reply; RFC 9110 section 15.2 sets no bound.
  static constexpr int kInterimMax = 16;

  HttpCall(ByteStream& stream, Input& input, runtime::EventLoop& loop,
           runtime::Cancellation& cancellation);
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;
  ~HttpCall();

  // Writes the request, head and body, giving up at `due`. An end other than kOk is not final: a
  // replica that answers early may close its side; read_head() tells.
  [[nodiscard]] runtime::Task<IoEnd> send(std::span<const std::string_view> pieces, TimePoint due);

  // Waits for the reply's final head until `due`; may be asked again behind kTimedOut.
  [[nodiscard]] runtime::Task<HeadEnd> read_head(TimePoint due);
  [[nodiscard]] const wire::ResponseHead& head() const noexcept { return head_; }
  // The head's views are not needed any more: its memory serves the body.
  void release_head() noexcept { input_.release(); }
  // What was wrong with a malformed head or body, for operators.
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }

  enum class Step : std::uint8_t {
    kData,  // `data` is some of the body
    kMore,  // nothing here now: wait for arrival()
    kEnd,   // the body is complete
    kCut,   // the connection ended inside the body
    kMalformed,
  };
  struct Piece {
    Step step;
    std::string_view data;  // valid until the next call or wait
  };
  // Takes the next piece of the body out of what was received. Never waits.
  [[nodiscard]] Piece next();
  // co_await arrival().until(due): see Wake.
  [[nodiscard]] Arrival& arrival() noexcept { return arrival_; }

  // The reply is complete and the connection says it stays, with nothing unasked-for on it.
  [[nodiscard]] bool reusable() const noexcept;
  // Any byte of a reply was received.
  [[nodiscard]] bool heard() const noexcept { return heard_; }

 private:
  static void abort(void* self) noexcept;
  [[nodiscard]] Piece next_chunk();

  ByteStream& stream_;
  Input& input_;
  runtime::EventLoop& loop_;
  runtime::Cancellation& cancellation_;
  Arrival arrival_;
  wire::ResponseHeadParser parser_;
  wire::ResponseHead head_;
  wire::ChunkedDecoder chunks_;
  std::uint64_t left_ = 0;  // of a sized body
  std::string detail_;
  bool heard_ = false;
  bool complete_ = false;
  bool broken_ = false;
};

// How reading a small body to its end came out.
enum class BodyEnd : std::uint8_t {
  kWhole,
  kCut,  // broken off, or malformed
  kTooLong,
  kLate,  // the time ran out, or it was told to stop
};

// Gathers the body of a reply whose head is there, until `due` and up to bytes_max, behind what
// `body` holds.
[[nodiscard]] runtime::Task<BodyEnd> read_whole(HttpCall& call, TimePoint due,
                                                std::size_t bytes_max, std::string& body);

}  // namespace penstock::net
