#include "wire/head_fields.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "wire/char_class.h"
#include "wire/header_list.h"

namespace penstock::wire {
namespace {

// What is wrong with a line whose name ends at `stop`, where a colon should be.
std::unexpected<Error> name_error(std::string_view name, char stop, ErrorCode malformed) {
  if (name.empty() && (stop == ' ' || stop == '\t')) {
    return fail(malformed, "a header line begins with white space (folded lines are obsolete)");
  }
  if (name.empty() && stop == ':') return fail(malformed, "a header has no name");
  if (stop == ' ' || stop == '\t') {
    return fail(malformed, "white space in or after the header name " + quoted(name));
  }
  if (stop == '\r') return fail(malformed, "the header line " + quoted(name) + " has no colon");
  return fail(malformed, "an illegal byte in the header name " + quoted(name));
}

void note_connection(std::string_view value, DecidingFields& fields) noexcept {
  while (const auto element = next_element(value)) {
    if (equals_ignore_case(*element, "close")) {
      fields.close = true;
    } else if (equals_ignore_case(*element, "keep-alive")) {
      fields.keep_alive = true;
    } else if (!is_token(*element)) {
      fields.connection_ok = false;
    }
  }
}

}  // namespace

Result<std::optional<std::size_t>> find_head_end(std::string_view bytes, std::size_t& at,
                                                 ErrorCode malformed) {
  while (at < bytes.size()) {
    const void* found = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
    if (found == nullptr) {
      at = bytes.size();
      break;
    }
    const auto lf = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    if (lf == 0 || bytes[lf - 1] != '\r') {
      at = lf;
      return fail(malformed, "a line of the head ends in LF without CR");
    }
    at = lf + 1;
    if (lf >= 2 && bytes[lf - 2] == '\n') return at;
  }
  return std::nullopt;
}

Result<void> parse_fields(std::string_view lines, const FieldRules& rules, HeaderList& headers) {
  const char* at = lines.data();
  const char* const end = at + lines.size();
  while (at != end) {
    const char* const name_begin = at;
    while (at != end && is_in(kTokenBytes, *at)) ++at;
    const std::string_view name(name_begin, static_cast<std::size_t>(at - name_begin));
    if (at == end || *at != ':' || name.empty()) {
      return name_error(name, at == end ? '\r' : *at, rules.malformed);
    }
    const char* const value_begin = ++at;
    at = find_not_value(at, end);
    if (end - at < 2 || at[0] != '\r' || at[1] != '\n') {
      return fail(rules.malformed, "a control character in the value of " + quoted(name));
    }
    if (headers.size() == rules.fields_max) return fail(rules.too_many, "too many header fields");
    headers.add(name, trim({value_begin, static_cast<std::size_t>(at - value_begin)}));
    at += 2;
  }
  return {};
}

DecidingFields deciding_fields(const HeaderList& headers) noexcept {
  DecidingFields fields;
  const auto note = [](std::size_t& count, std::string_view& kept, std::string_view value) {
    ++count;
    kept = value;
  };
  for (const auto& [name, value] : headers) {
    // By length first: most fields are none of these.
    switch (name.size()) {
      case 4:
        if (equals_ignore_case(name, "host")) note(fields.hosts, fields.host, value);
        break;
      case 6:
        if (equals_ignore_case(name, "expect")) note(fields.expects, fields.expect, value);
        break;
      case 10:
        if (equals_ignore_case(name, "connection")) note_connection(value, fields);
        break;
      case 14:
        if (equals_ignore_case(name, "content-length")) note(fields.lengths, fields.length, value);
        break;
      case 17:
        if (equals_ignore_case(name, "transfer-encoding")) {
          note(fields.codings, fields.coding, value);
        }
        break;
      default: break;
    }
  }
  return fields;
}

std::optional<std::uint64_t> parse_content_length(std::string_view value) noexcept {
  constexpr std::size_t kDigitsMax = 18;
  if (value.empty() || value.size() > kDigitsMax) return std::nullopt;
  std::uint64_t length = 0;
  for (const char byte : value) {
    if (!is_digit(byte)) return std::nullopt;
    length = length * 10 + static_cast<std::uint64_t>(byte - '0');
  }
  return length;
}

}  // namespace penstock::wire
