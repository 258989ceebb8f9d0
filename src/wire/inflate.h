#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::wire {

// Whether a `content-encoding` is one that inflate() reads: gzip, x-gzip or deflate.
[[nodiscard]] bool can_inflate(std::string_view coding) noexcept;

// The bytes behind a `content-encoding` of gzip, x-gzip or deflate, at most `bytes_max` of them.
// nullopt: another coding, broken or unfinished data, or more than that: a small reply may be a
// bomb.
//
// coding: a header's value, one coding only. source: RFC 1950 to 1952, RFC 9110 section 8.4.1.
[[nodiscard]] std::optional<std::string> inflate(std::string_view coding, std::string_view bytes,
                                                 std::size_t bytes_max);

}  // namespace penstock::wire
