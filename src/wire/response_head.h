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

// A provider's status line and fields. Views into the bytes that were parsed; meant to be reused.
struct ResponseHead {
  int status = 0;           // 100 to 599, never 101
  std::string_view reason;  // may be empty
  int version_minor = 1;    // HTTP/1.0 or HTTP/1.1
  HeaderList headers;
  Framing framing;
  bool keep_alive = true;  // false whenever the body runs until close

  // An interim head (1xx): the caller parses on behind it, a bounded number of times.
  [[nodiscard]] bool interim() const noexcept { return status < 200; }
};

// What the request was, as far as it decides where the reply ends.
enum class RequestMethod : std::uint8_t { kHead, kOther };

// Reads one reply head. As strict as for requests in what decides framing, a little more tolerant
// where nothing can be read in two ways: a missing reason, equal repeated lengths.
class ResponseHeadParser {
 public:
  explicit ResponseHeadParser(HeadLimits limits) noexcept;

  // Returns the length of the head in bytes once it is complete, nullopt while more is needed.
  // When a head was returned the parser is ready for the next one.
  //
  // bytes:  everything received since the last head, as in RequestHeadParser::parse.
  // head:   filled only when a length is returned; views `bytes`.
  // errors: kUpstreamBadResponse, for what is not HTTP/1.0 or 1.1 at its first wrong byte. The
  //         parser is then of no use until reset().
  // cost:   O(new bytes) while incomplete, then one pass; no allocation up to 32 fields or once
  //         warm.
  [[nodiscard]] Result<std::optional<std::size_t>> parse(std::string_view bytes,
                                                         RequestMethod method, ResponseHead& head);

  // Forgets a head that was begun.
  void reset() noexcept { at_ = 0; }

  // Whether any byte of a head was seen since the last one.
  [[nodiscard]] bool started() const noexcept { return at_ > 0; }

 private:
  HeadLimits limits_;
  std::size_t at_ = 0;  // all bytes before this one were looked at
};

}  // namespace penstock::wire
