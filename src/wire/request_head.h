#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "wire/framing.h"
#include "wire/head_limits.h"
#include "wire/header_list.h"

namespace penstock::wire {

// A client's request line and fields. Views into the bytes that were parsed. Meant to be reused:
// the parser clears it first.
struct RequestHead {
  std::string_view method;  // as sent; methods are case-sensitive
  std::string_view target;  // "/path?query", "http://host/path" or "*"; printable ASCII, no '#'
  int version_minor = 1;    // HTTP/1.0 or HTTP/1.1
  HeaderList headers;
  Framing framing;  // never kUntilClose
  bool keep_alive = true;
  bool expect_continue = false;  // the client waits for 100 before it sends the body it announced
};

// Reads one request head, strictly: whatever another HTTP implementation could read differently is
// refused, and the connection must then be closed (RFC 9112 sections 2.2, 3, 5, 6, 11.2).
class RequestHeadParser {
 public:
  explicit RequestHeadParser(HeadLimits limits) noexcept;

  // Returns the length of the head in bytes once it is complete, nullopt while more is needed.
  // When a head was returned the parser is ready for the next one.
  //
  // bytes:  everything received since the last head: each call gives what the call before gave,
  //         and more. May have moved in memory. Bytes behind the head are not looked at.
  // head:   filled only when a length is returned; views `bytes`.
  // errors: kInvalidRequest with status 0 (400), 417 (Expect), 501 (transfer coding) or 505
  //         (version); kUriTooLong and kHeaderTooLarge as soon as a limit is passed, the end of the
  //         head still unseen. The parser is then of no use until reset().
  // cost:   O(new bytes) while incomplete, then one pass; no allocation up to 32 fields or once
  //         warm.
  [[nodiscard]] Result<std::optional<std::size_t>> parse(std::string_view bytes, RequestHead& head);

  // Forgets a head that was begun.
  void reset() noexcept;

  // Whether any byte of a head was seen since the last one.
  [[nodiscard]] bool started() const noexcept { return at_ > 0; }

 private:
  enum class State : std::uint8_t { kStart, kMethod, kTarget, kVersion, kFields };

  Result<void> scan_start(std::string_view bytes);
  Result<void> scan_method(std::string_view bytes);
  Result<void> scan_target(std::string_view bytes);
  Result<void> scan_version(std::string_view bytes);
  Result<void> scan_request_line(std::string_view bytes);

  HeadLimits limits_;
  State state_ = State::kStart;
  int version_minor_ = 1;
  std::size_t at_ = 0;         // all bytes before this one were looked at
  std::size_t method_at_ = 0;  // 2 after a leading empty line
  std::size_t target_at_ = 0;
  std::size_t version_at_ = 0;
  std::size_t fields_at_ = 0;
};

}  // namespace penstock::wire
