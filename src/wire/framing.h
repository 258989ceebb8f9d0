#pragma once

#include <cstdint>

namespace penstock::wire {

// Where the body after a head ends (RFC 9112 section 6.3).
struct Framing {
  enum class Kind : std::uint8_t {
    kNone,        // no body
    kLength,      // `length` bytes, which may be 0
    kChunked,     // see chunked.h
    kUntilClose,  // replies only: all until the connection ends
  };
  Kind kind = Kind::kNone;
  std::uint64_t length = 0;  // bytes; only with kLength

  bool operator==(const Framing&) const = default;
};

}  // namespace penstock::wire
