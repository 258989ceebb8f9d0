#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace penstock::json {

// equals() for what only a look at every byte can tell: `raw` is longer, as escapes make it.
[[nodiscard]] bool equals_escaped(std::string_view raw, std::string_view plain) noexcept;

// Whether a string as written (`raw`: between the quotes, from Reader) means `plain`. Never
// allocates. Inline, since the readers ask a dozen times a member and most names differ in length
// or in their first byte.
[[nodiscard]] inline bool equals(std::string_view raw, std::string_view plain) noexcept {
  if (raw.size() < plain.size()) return false;
  if (raw.size() == plain.size()) return raw == plain && raw.find('\\') == std::string_view::npos;
  if (raw.front() != '\\' && !plain.starts_with(raw.front())) return false;
  return equals_escaped(raw, plain);
}

// What stands at the front of a string as written: an escape, or one byte of what is none.
struct Unit {
  std::size_t used = 1;  // bytes of the string as written
  std::size_t size = 0;  // bytes of what they mean
  std::array<char, 4> bytes{};

  [[nodiscard]] std::string_view view() const noexcept { return {bytes.data(), size}; }
};

// raw: not empty; escapes as the reader has checked them.
[[nodiscard]] Unit first_unit(std::string_view raw) noexcept;

// What a string as written means. A surrogate without its other half becomes U+FFFD, so the
// result is UTF-8 whenever `raw` is.
[[nodiscard]] std::string unescape(std::string_view raw);

// The same, at most `bytes_max` bytes of it, cut between characters.
[[nodiscard]] std::string unescape(std::string_view raw, std::size_t bytes_max);

// Whether `text` stands between quotes as it is: UTF-8 without quote, backslash or control bytes.
[[nodiscard]] bool is_plain(std::string_view text) noexcept;

// Appends `text` as the inside of a JSON string. Any bytes will do: what is not UTF-8 becomes
// U+FFFD, so that a log line or an error is always well-formed.
void append_escaped(std::string& out, std::string_view text);

// The same with the quotes around it.
void append_quoted(std::string& out, std::string_view text);

}  // namespace penstock::json
