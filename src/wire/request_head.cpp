#include "wire/request_head.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "wire/char_class.h"
#include "wire/framing.h"
#include "wire/head_fields.h"
#include "wire/head_limits.h"
#include "wire/header_list.h"

namespace penstock::wire {
namespace {

constexpr std::size_t kMethodBytesMax = 32;  // the longest registered one has 17
constexpr std::string_view kVersionStart = "HTTP/";

std::unexpected<Error> refuse(std::string message, std::uint16_t status = 0) {
  Error error(ErrorCode::kInvalidRequest, std::move(message));
  error.status = status;
  return fail(std::move(error));
}

// RFC 9112 section 3.2; authority-form is for CONNECT, which a gateway does not serve.
Result<void> judge_target(std::string_view method, std::string_view target) {
  if (target.starts_with('/')) return {};
  if (target == "*") {
    if (method == "OPTIONS") return {};
    return refuse("the target '*' is for OPTIONS only");
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignore_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::string_view rest = target.substr(scheme.size());
    if (rest.empty() || rest.front() == '/' || rest.front() == '?') break;
    return {};
  }
  return refuse("the request target is neither a path nor an http URL");
}

bool is_port(std::string_view port) noexcept {
  return port.size() <= 5 && std::ranges::all_of(port, is_digit);
}

// RFC 9110 section 7.2: host [ ":" port ], the host not empty.
bool is_host(std::string_view host) noexcept {
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos || close < 2) return false;
    port = host.substr(close + 1);
    const auto in_address = [](char byte) {
      return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F') ||
             byte == ':' || byte == '.';
    };
    if (!std::ranges::all_of(host.substr(1, close - 1), in_address)) return false;
  } else {
    const std::size_t colon = std::min(host.find(':'), host.size());
    port = host.substr(colon);
    host = host.substr(0, colon);
    if (host.empty()) return false;
    if (!std::ranges::all_of(host, [](char byte) { return is_in(kHostBytes, byte); })) return false;
  }
  return port.empty() || (port.front() == ':' && is_port(port.substr(1)));
}

// RFC 9112 section 6.1: the only coding we know is chunked, alone.
Result<void> judge_codings(std::string_view list) {
  if (equals_ignore_case(list, "chunked")) return {};
  std::string_view rest = list;
  bool any = false;
  bool chunked = false;
  while (const auto coding = next_element(rest)) {
    if (chunked) return refuse("Transfer-Encoding has something after chunked");
    any = true;
    chunked = equals_ignore_case(*coding, "chunked");
    if (!chunked) {
      constexpr std::uint16_t kNotImplemented = 501;
      return refuse("unknown transfer coding " + quoted(*coding), kNotImplemented);
    }
  }
  return refuse(any ? "Transfer-Encoding is not a plain chunked" : "Transfer-Encoding is empty");
}

Result<Framing> judge_framing(const DecidingFields& fields, int version_minor) {
  if (fields.codings > 0) {
    if (version_minor == 0) return refuse("Transfer-Encoding in an HTTP/1.0 request");
    if (fields.lengths > 0) return refuse("both Content-Length and Transfer-Encoding");
    if (fields.codings > 1) return refuse("more than one Transfer-Encoding");
    PENSTOCK_CHECK(judge_codings(fields.coding));
    return Framing{.kind = Framing::Kind::kChunked, .length = 0};
  }
  if (fields.lengths == 0) return Framing{};
  if (fields.lengths > 1) return refuse("more than one Content-Length");
  const auto length = parse_content_length(fields.length);
  if (!length) return refuse("Content-Length is not a decimal number of bytes");
  return Framing{.kind = Framing::Kind::kLength, .length = *length};
}

Result<void> judge(RequestHead& head) {
  const DecidingFields fields = deciding_fields(head.headers);
  if (fields.hosts > 1) return refuse("more than one Host");
  if (fields.hosts == 0 && head.version_minor == 1) return refuse("no Host");
  if (fields.hosts == 1 && !is_host(fields.host)) return refuse("Host is not a host name");
  if (!fields.connection_ok) return refuse("Connection is not a list of names");
  PENSTOCK_TRY(head.framing, judge_framing(fields, head.version_minor));
  head.keep_alive = fields.keeps_alive(head.version_minor);
  head.expect_continue = false;
  if (fields.expects > 0) {
    if (fields.expects > 1 || !equals_ignore_case(fields.expect, "100-continue")) {
      constexpr std::uint16_t kExpectationFailed = 417;
      return refuse("an expectation other than 100-continue", kExpectationFailed);
    }
    // RFC 9110 section 10.1.1: not from HTTP/1.0; and nobody waits who announced no body.
    const bool body = head.framing.kind == Framing::Kind::kChunked || head.framing.length > 0;
    head.expect_continue = head.version_minor == 1 && body;
  }
  return {};
}

}  // namespace

RequestHeadParser::RequestHeadParser(HeadLimits limits) noexcept : limits_(limits) {
  limits_.fields = std::min(limits_.fields, HeaderList::kFieldsMax);
}

void RequestHeadParser::reset() noexcept { *this = RequestHeadParser(limits_); }

Result<void> RequestHeadParser::scan_start(std::string_view bytes) {
  if (at_ == 0 && !bytes.empty()) {
    if (bytes[0] != '\r') {
      state_ = State::kMethod;
      return {};
    }
    at_ = 1;
  }
  if (at_ == 1 && bytes.size() > 1) {
    if (bytes[1] != '\n') return refuse("CR without LF before the request line");
    at_ = method_at_ = 2;
    state_ = State::kMethod;
  }
  return {};
}

Result<void> RequestHeadParser::scan_method(std::string_view bytes) {
  for (; at_ < bytes.size(); ++at_) {
    const char byte = bytes[at_];
    if (byte == ' ' && at_ > method_at_) {
      target_at_ = ++at_;
      state_ = State::kTarget;
      return {};
    }
    if (!is_in(kTokenBytes, byte)) return refuse("the request does not begin with a method");
    if (at_ - method_at_ == kMethodBytesMax) return refuse("the method is too long");
  }
  return {};
}

Result<void> RequestHeadParser::scan_target(std::string_view bytes) {
  for (; at_ < bytes.size(); ++at_) {
    const char byte = bytes[at_];
    if (byte == ' ') {
      const std::string_view method = bytes.substr(method_at_, target_at_ - 1 - method_at_);
      PENSTOCK_CHECK(judge_target(method, bytes.substr(target_at_, at_ - target_at_)));
      version_at_ = ++at_;
      state_ = State::kVersion;
      return {};
    }
    if (byte == '\r' || byte == '\n') return refuse("the request line has no version");
    if (!is_target_byte(byte)) return refuse("an illegal byte in the request target");
    if (at_ - target_at_ == limits_.target_bytes) return fail(ErrorCode::kUriTooLong);
  }
  return {};
}

Result<void> RequestHeadParser::scan_version(std::string_view bytes) {
  // "HTTP/" DIGIT "." DIGIT CR LF; what is wrong is told at its first byte.
  constexpr std::size_t kMajor = kVersionStart.size();
  for (; at_ < bytes.size(); ++at_) {
    const char byte = bytes[at_];
    const std::size_t i = at_ - version_at_;
    const bool fits = i < kMajor                       ? byte == kVersionStart[i]
                      : i == kMajor || i == kMajor + 2 ? is_digit(byte)
                      : i == kMajor + 1                ? byte == '.'
                      : i == kMajor + 3                ? byte == '\r'
                                                       : byte == '\n';
    if (!fits) return refuse("the request line does not end in a version such as HTTP/1.1");
    if (i == kMajor + 3) {
      const std::string_view version = bytes.substr(version_at_ + kMajor, 3);
      if (version != "1.1" && version != "1.0") {
        constexpr std::uint16_t kVersionNotSupported = 505;
        return refuse("only HTTP/1.0 and HTTP/1.1 are spoken here", kVersionNotSupported);
      }
      version_minor_ = version.back() - '0';
    }
    if (i == kMajor + 4) {
      fields_at_ = ++at_;
      state_ = State::kFields;
      return {};
    }
  }
  return {};
}

Result<void> RequestHeadParser::scan_request_line(std::string_view bytes) {
  if (state_ == State::kStart) PENSTOCK_CHECK(scan_start(bytes));
  if (state_ == State::kMethod) PENSTOCK_CHECK(scan_method(bytes));
  if (state_ == State::kTarget) PENSTOCK_CHECK(scan_target(bytes));
  if (state_ == State::kVersion) PENSTOCK_CHECK(scan_version(bytes));
  return {};
}

Result<std::optional<std::size_t>> RequestHeadParser::parse(std::string_view bytes,
                                                            RequestHead& head) {
  const std::string_view window = bytes.substr(0, limits_.header_bytes);
  PENSTOCK_CHECK(scan_request_line(window));
  std::optional<std::size_t> end;
  if (state_ == State::kFields) {
    PENSTOCK_TRY(end, find_head_end(window, at_, ErrorCode::kInvalidRequest));
  }
  if (!end) {
    if (window.size() == limits_.header_bytes) return fail(ErrorCode::kHeaderTooLarge);
    return std::nullopt;
  }
  head.method = window.substr(method_at_, target_at_ - 1 - method_at_);
  head.target = window.substr(target_at_, version_at_ - 1 - target_at_);
  head.version_minor = version_minor_;
  head.headers.clear();
  const FieldRules rules{.fields_max = limits_.fields,
                         .malformed = ErrorCode::kInvalidRequest,
                         .too_many = ErrorCode::kHeaderTooLarge};
  constexpr std::size_t kEmptyLine = 2;
  const std::string_view lines = window.substr(fields_at_, *end - kEmptyLine - fields_at_);
  PENSTOCK_CHECK(parse_fields(lines, rules, head.headers));
  PENSTOCK_CHECK(judge(head));
  reset();
  return end;
}

}  // namespace penstock::wire
