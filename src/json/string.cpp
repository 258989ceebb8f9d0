#include "json/string.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/utf8.h"

namespace penstock::json {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementBytes = "\xEF\xBF\xBD";
constexpr std::string_view kHexDigits = "0123456789abcdef";

void put_utf8(Unit& out, std::uint32_t point) noexcept {
  const auto put = [&out](std::uint32_t byte) {
    out.bytes[out.size++] = static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

std::uint32_t hex_value(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return static_cast<std::uint32_t>(digit - '0');
  return static_cast<std::uint32_t>((digit | 0x20) - 'a') + 10;
}

// The unit of a \uXXXX at the front of `raw`, or one that no surrogate range holds when there is
// none. The digits were checked by the reader.
std::uint32_t code_unit(std::string_view raw) noexcept {
  if (raw.size() < 6 || raw[0] != '\\' || raw[1] != 'u') return kReplacement;
  return hex_value(raw[2]) << 12 | hex_value(raw[3]) << 8 | hex_value(raw[4]) << 4 |
         hex_value(raw[5]);
}

constexpr bool is_high(std::uint32_t unit) noexcept { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_low(std::uint32_t unit) noexcept { return unit >= 0xDC00 && unit < 0xE000; }

// raw: begins with a backslash.
Unit decode_escape(std::string_view raw) noexcept {
  Unit out{.used = std::min<std::size_t>(raw.size(), 2)};
  if (raw.size() < 2) return out;
  switch (raw[1]) {
    case 'b': put_utf8(out, '\b'); return out;
    case 'f': put_utf8(out, '\f'); return out;
    case 'n': put_utf8(out, '\n'); return out;
    case 'r': put_utf8(out, '\r'); return out;
    case 't': put_utf8(out, '\t'); return out;
    case 'u': break;
    default: put_utf8(out, static_cast<unsigned char>(raw[1])); return out;
  }
  out.used = std::min<std::size_t>(raw.size(), 6);
  const std::uint32_t unit = code_unit(raw);
  const std::uint32_t next = is_high(unit) ? code_unit(raw.substr(6)) : kReplacement;
  if (is_low(next)) {
    out.used = 12;
    put_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00));
  } else {
    put_utf8(out, is_high(unit) || is_low(unit) ? kReplacement : unit);
  }
  return out;
}

// The longest prefix of at most `bytes_max` bytes that does not end inside a character.
std::string_view cut_between_characters(std::string_view text, std::size_t bytes_max) noexcept {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && continues_character(text[bytes_max])) --bytes_max;
  return text.substr(0, bytes_max);
}

// The length of the UTF-8 character at the front of `text`, or 0 when it is none.
std::size_t character_size(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  return size <= text.size() && valid_utf8(text.substr(0, size)) ? size : 0;
}

void append_escape(std::string& out, char byte) {
  switch (byte) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  const auto value = static_cast<unsigned char>(byte);
  out += "\\u00";
  out += kHexDigits[value >> 4];
  out += kHexDigits[value & 0xF];
}

constexpr bool needs_escape(char byte) noexcept {
  return byte == '"' || byte == '\\' || static_cast<unsigned char>(byte) < 0x20;
}

}  // namespace

bool equals_escaped(std::string_view raw, std::string_view plain) noexcept {
  if (raw.find('\\') == std::string_view::npos) return false;
  while (!raw.empty()) {
    if (raw.front() != '\\') {
      if (plain.empty() || plain.front() != raw.front()) return false;
      raw.remove_prefix(1);
      plain.remove_prefix(1);
      continue;
    }
    const Unit decoded = decode_escape(raw);
    if (!plain.starts_with(decoded.view())) return false;
    raw.remove_prefix(decoded.used);
    plain.remove_prefix(decoded.size);
  }
  return plain.empty();
}

Unit first_unit(std::string_view raw) noexcept {
  if (raw.front() == '\\') return decode_escape(raw);
  return {.used = 1, .size = 1, .bytes = {raw.front()}};
}

std::string unescape(std::string_view raw) { return unescape(raw, raw.size()); }

std::string unescape(std::string_view raw, std::size_t bytes_max) {
  std::string out;
  while (!raw.empty()) {
    const std::size_t room = bytes_max - out.size();
    if (raw.front() == '\\') {
      const Unit decoded = decode_escape(raw);
      if (decoded.size > room) break;
      out += decoded.view();
      raw.remove_prefix(decoded.used);
      continue;
    }
    const std::string_view run = raw.substr(0, raw.find('\\'));
    const std::string_view fits = cut_between_characters(run, room);
    out += fits;
    if (fits.size() < run.size()) break;
    raw.remove_prefix(run.size());
  }
  return out;
}

bool is_plain(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(), needs_escape) && valid_utf8(text);
}

void append_escaped(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += text;
    return;
  }
  while (!text.empty()) {
    const char byte = text.front();
    if (static_cast<unsigned char>(byte) < 0x80) {
      if (needs_escape(byte))
        append_escape(out, byte);
      else
        out += byte;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t size = character_size(text);
    out += size == 0 ? kReplacementBytes : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

}  // namespace penstock::json
