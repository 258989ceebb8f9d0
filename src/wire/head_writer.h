#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::wire {

// Appends "HTTP/1.1 200 OK" with its line end. status: 100 to 599; one without a known reason gets
// an empty reason.
void append_status_line(std::string& out, int status);

// Appends "GET /path HTTP/1.1" with its line end. Asserts that the method is a token and the target
// printable ASCII without spaces: both were checked where they came in.
void append_request_line(std::string& out, std::string_view method, std::string_view target);

// Appends one field line. Asserts that the name is a token. Bytes that may not stand in a value
// (CR, LF, NUL and other controls but HTAB) are left out, so no value can begin another line.
void append_header(std::string& out, std::string_view name, std::string_view value);
void append_header(std::string& out, std::string_view name, std::uint64_t value);

// The empty line after the last field.
inline constexpr std::string_view kHeadEnd = "\r\n";

// The usual reason phrase of a status, or an empty one.
[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

}  // namespace penstock::wire
