#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error_code.h"
#include "base/result.h"
#include "wire/header_list.h"

// What requests and replies share below the first line. Only for request_head and response_head.
namespace penstock::wire {

// Returns where the head ends, behind its empty line, or nullopt when more bytes are needed.
//
// at:      in: where to look from, behind the "H" of a status line at least; out: where to go on.
// errors:  `malformed` for a line that ends in LF without CR.
[[nodiscard]] Result<std::optional<std::size_t>> find_head_end(std::string_view bytes,
                                                               std::size_t& at,
                                                               ErrorCode malformed);

struct FieldRules {
  std::size_t fields_max;
  ErrorCode malformed;
  ErrorCode too_many;
};

// Appends the fields of `lines` to `headers`, checked byte for byte (RFC 9112 section 5).
// lines: zero or more, each ending in CRLF, without the empty line at the end.
[[nodiscard]] Result<void> parse_fields(std::string_view lines, const FieldRules& rules,
                                        HeaderList& headers);

// The fields that decide about body and connection. Values are those of the last such field.
struct DecidingFields {
  std::size_t hosts = 0;
  std::size_t lengths = 0;
  std::size_t codings = 0;
  std::size_t expects = 0;
  std::string_view host;
  std::string_view length;
  std::string_view coding;
  std::string_view expect;
  bool close = false;         // Connection has close
  bool keep_alive = false;    // Connection has keep-alive
  bool connection_ok = true;  // every element of Connection is a token

  // RFC 9112 section 9.3.
  [[nodiscard]] bool keeps_alive(int version_minor) const noexcept {
    return !close && (version_minor >= 1 || keep_alive);
  }
};

[[nodiscard]] DecidingFields deciding_fields(const HeaderList& headers) noexcept;

// Digits only, below 10^18: no more of them than 18. nullopt: anything else.
[[nodiscard]] std::optional<std::uint64_t> parse_content_length(std::string_view value) noexcept;

}  // namespace penstock::wire
