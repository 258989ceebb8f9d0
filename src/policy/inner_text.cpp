#include "policy/inner_text.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "json/string.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

constexpr bool is_space(char byte) noexcept {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

constexpr bool begins_json(char byte) noexcept { return byte == '{' || byte == '[' || byte == '"'; }

}  // namespace

bool InnerText::is_plain(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \n\r\t");
  return first == std::string_view::npos || !begins_json(text[first]);
}

void InnerText::put(std::string_view character, std::size_t width, MeasuredText& out) {
  const char byte = character.front();
  if (mode_ == Mode::kUnknown && !is_space(byte))
    mode_ = begins_json(byte) ? Mode::kEscaped : Mode::kPlain;
  const bool simple = mode_ != Mode::kEscaped || (size_ == 0 && byte != '\\');
  if (simple) return out.put(character, width);
  if (character.size() == 1) return put_escaped(byte, width, out);
  finish(out);
  out.put(character, width);
}

void InnerText::put_escaped(char byte, std::size_t width, MeasuredText& out) {
  const auto begin = [&] {
    if (byte != '\\') return out.put({&byte, 1}, width);
    begun_[0] = byte;
    widths_[0] = static_cast<std::uint8_t>(width);
    size_ = 1;
  };
  if (size_ == 0) return begin();
  const bool unicode = size_ > 1 && is_hex(static_cast<unsigned char>(byte));
  const bool second = size_ == 1 && std::string_view("bfnrt\"\\/u").contains(byte);
  if (!unicode && !second) {
    finish(out);
    return begin();
  }
  begun_[size_] = byte;
  widths_[size_++] = static_cast<std::uint8_t>(width);
  const bool whole = size_ == kEscapeMax || (size_ == 2 && byte != 'u');
  if (!whole) return;
  const json::Unit unit = json::first_unit({begun_.data(), size_});
  const std::size_t all = std::accumulate(widths_.begin(), widths_.begin() + size_, std::size_t{0});
  size_ = 0;
  out.put(unit.view(), all);
}

void InnerText::finish(MeasuredText& out) {
  for (std::size_t i = 0; i < size_; ++i) out.put({&begun_[i], 1}, widths_[i]);
  size_ = 0;
}

}  // namespace penstock::policy
