#include "wire/response_head.h"

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

constexpr std::string_view kStart = "HTTP/1.";

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::kUpstreamBadResponse, std::move(message));
}

// "HTTP/1.1 200 OK", the line end taken off. RFC 9112 section 4; the reason and the space before it
// may be missing.
Result<void> parse_status_line(std::string_view line, ResponseHead& head) {
  constexpr std::size_t kStatusAt = kStart.size() + 2;
  constexpr std::size_t kReasonAt = kStatusAt + 3;
  if (line.size() < kReasonAt || line[kStatusAt - 1] != ' ') {
    return refuse("the provider's status line is cut short or misshapen");
  }
  const char minor = line[kStart.size()];
  if (minor != '0' && minor != '1') return refuse("the provider's version is not 1.0 or 1.1");
  head.version_minor = minor - '0';
  const std::string_view status = line.substr(kStatusAt, 3);
  if (!std::ranges::all_of(status, is_digit) || status[0] < '1' || status[0] > '5') {
    return refuse("the provider's status is not a number from 100 to 599");
  }
  head.status = (status[0] - '0') * 100 + (status[1] - '0') * 10 + (status[2] - '0');
  std::string_view reason = line.substr(kReasonAt);
  if (!reason.empty() && reason.front() != ' ') {
    return refuse("the provider's status has more than three digits");
  }
  if (!reason.empty()) reason.remove_prefix(1);
  if (!std::ranges::all_of(reason, is_value_byte)) {
    return refuse("a control character in the provider's reason phrase");
  }
  head.reason = reason;
  return {};
}

// All lengths of all fields, which must agree (RFC 9112 section 6.3, case 5).
Result<std::uint64_t> agreed_length(const HeaderList& headers) {
  std::optional<std::uint64_t> agreed;
  for (const auto& [name, value] : headers) {
    if (!equals_ignore_case(name, "content-length")) continue;
    std::string_view list = value;
    if (list.empty()) return refuse("the provider sent an empty Content-Length");
    do {
      const std::size_t comma = std::min(list.find(','), list.size());
      const auto length = parse_content_length(trim(list.substr(0, comma)));
      if (!length) return refuse("the provider's Content-Length is not a number of bytes");
      if (agreed && *agreed != *length) return refuse("the provider sent two different lengths");
      agreed = length;
      if (comma + 1 == list.size()) return refuse("the provider's Content-Length ends in a comma");
      list.remove_prefix(std::min(comma + 1, list.size()));
    } while (!list.empty());
  }
  return *agreed;
}

Result<Framing> announced_framing(const DecidingFields& fields, const ResponseHead& head) {
  if (fields.codings > 0) {
    if (fields.lengths > 0) return refuse("the provider sent both a length and a transfer coding");
    if (head.version_minor == 0) return refuse("the provider sent a transfer coding in HTTP/1.0");
    if (fields.codings > 1 || !equals_ignore_case(fields.coding, "chunked")) {
      return refuse("the provider's transfer coding is not chunked alone");
    }
    return Framing{.kind = Framing::Kind::kChunked, .length = 0};
  }
  if (fields.lengths == 0) return Framing{.kind = Framing::Kind::kUntilClose, .length = 0};
  PENSTOCK_TRY(const std::uint64_t length, agreed_length(head.headers));
  return Framing{.kind = Framing::Kind::kLength, .length = length};
}

// RFC 9112 section 6.3. A head that contradicts itself is refused whatever its status.
Result<void> judge(RequestMethod method, ResponseHead& head) {
  constexpr int kSwitchingProtocols = 101;
  constexpr int kNoContent = 204;
  constexpr int kNotModified = 304;
  if (head.status == kSwitchingProtocols) return refuse("the provider switched protocols unasked");
  const DecidingFields fields = deciding_fields(head.headers);
  PENSTOCK_TRY(head.framing, announced_framing(fields, head));
  head.keep_alive = fields.keeps_alive(head.version_minor);
  const bool never_a_body = head.interim() || head.status == kNoContent;
  if (never_a_body) {
    // One that announces a body all the same may well send it: nothing after it can be trusted.
    const bool announced = head.framing.kind == Framing::Kind::kChunked || head.framing.length > 0;
    if (announced) head.keep_alive = false;
  }
  if (never_a_body || head.status == kNotModified || method == RequestMethod::kHead) {
    head.framing = Framing{};
  }
  if (head.framing.kind == Framing::Kind::kUntilClose) head.keep_alive = false;
  return {};
}

}  // namespace

ResponseHeadParser::ResponseHeadParser(HeadLimits limits) noexcept : limits_(limits) {
  limits_.fields = std::min(limits_.fields, HeaderList::kFieldsMax);
}

Result<std::optional<std::size_t>> ResponseHeadParser::parse(std::string_view bytes,
                                                             RequestMethod method,
                                                             ResponseHead& head) {
  const std::string_view window = bytes.substr(0, limits_.header_bytes);
  const std::size_t known = std::min(window.size(), kStart.size());
  if (window.substr(0, known) != kStart.substr(0, known)) {
    return refuse("the provider's reply is not HTTP/1.1");
  }
  PENSTOCK_TRY(const auto end, find_head_end(window, at_, ErrorCode::kUpstreamBadResponse));
  if (!end) {
    if (window.size() == limits_.header_bytes) return refuse("the provider's head is too large");
    return std::nullopt;
  }
  const std::size_t line_end = window.find('\n') - 1;  // at its CR: find_head_end saw to that
  PENSTOCK_CHECK(parse_status_line(window.substr(0, line_end), head));
  head.headers.clear();
  const FieldRules rules{.fields_max = limits_.fields,
                         .malformed = ErrorCode::kUpstreamBadResponse,
                         .too_many = ErrorCode::kUpstreamBadResponse};
  constexpr std::size_t kLineEnd = 2;
  const std::size_t fields_at = line_end + kLineEnd;
  const std::string_view lines = window.substr(fields_at, *end - kLineEnd - fields_at);
  PENSTOCK_CHECK(parse_fields(lines, rules, head.headers));
  PENSTOCK_CHECK(judge(method, head));
  reset();
  return end;
}

}  // namespace penstock::wire
