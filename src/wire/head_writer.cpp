#include "wire/head_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "wire/char_class.h"

namespace penstock::wire {
namespace {

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), written.ptr);
}

}  // namespace

std::string_view reason_phrase(int status) noexcept {
  // RFC 9110 section 15, RFC 6585; 529 is Anthropic's.
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 402: return "Payment Required";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 424: return "Failed Dependency";
    case 425: return "Too Early";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 499: return "Client Closed Request";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    case 529: return "Overloaded";
    default: return "";
  }
}

void append_status_line(std::string& out, int status) {
  PENSTOCK_ASSERT(status >= 100 && status <= 599);
  out.append("HTTP/1.1 ");
  append_number(out, static_cast<std::uint64_t>(status));
  out.append(1, ' ').append(reason_phrase(status)).append("\r\n");
}

void append_request_line(std::string& out, std::string_view method, std::string_view target) {
  PENSTOCK_ASSERT(is_token(method));
  PENSTOCK_ASSERT(!target.empty() && std::ranges::all_of(target, is_target_byte));
  out.append(method).append(1, ' ').append(target).append(" HTTP/1.1\r\n");
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  PENSTOCK_ASSERT(is_token(name));
  out.append(name).append(": ");
  const char* at = value.data();
  const char* const end = at + value.size();
  while (at != end) {
    const char* const stop = find_not_value(at, end);
    out.append(at, stop);
    at = stop == end ? end : stop + 1;
  }
  out.append("\r\n");
}

void append_header(std::string& out, std::string_view name, std::uint64_t value) {
  PENSTOCK_ASSERT(is_token(name));
  out.append(name).append(": ");
  append_number(out, value);
  out.append("\r\n");
}

}  // namespace penstock::wire
