#include "policy/inner_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "json/string.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

// White space, and the bytes of a byte order mark.
constexpr std::string_view kInFront = " \n\r\t\xEF\xBB\xBF";

constexpr bool begins_json(char byte) noexcept { return byte == '{' || byte == '[' || byte == '"'; }

}  // namespace

bool InnerText::is_plain(std::string_view text) noexcept {
  const std::size_t slash = text.find('\\');
  if (slash == std::string_view::npos) return true;
  if (text.find("\\u", slash) != std::string_view::npos) return false;
  return !begins_json(text[text.find_first_not_of(kInFront)]);  // there is the backslash
}

void InnerText::put(std::string_view character, std::size_t width, MeasuredText& out) {
  const char byte = character.front();
  if (mode_ == Mode::kUnknown && kInFront.find(byte) == std::string_view::npos)
    mode_ = begins_json(byte) ? Mode::kEscaped : Mode::kPlain;
  if (character.size() > 1) {
    finish(out);
    return out.put(character, width);
  }
  if (size_ == 0) return begin(byte, width, out);
  if (size_ == slashes_) return behind_slashes(byte, width, out);
  if (!is_hex(static_cast<unsigned char>(byte))) {
    finish(out);
    return begin(byte, width, out);
  }
  hold(byte, width);
  if (size_ < slashes_ + 1 + kDigits) return;
  const json::Unit unit =
      json::first_unit(std::string_view(begun_.data(), size_).substr(slashes_ - 1));
  out.put(unit.view(), width_of(0, size_));
  size_ = slashes_ = 0;
}

// What follows no backslash.
void InnerText::begin(char byte, std::size_t width, MeasuredText& out) {
  if (byte != '\\') return out.put({&byte, 1}, width);
  hold(byte, width);
  slashes_ = 1;
}

void InnerText::hold(char byte, std::size_t width) noexcept {
  begun_[size_] = byte;
  widths_[size_++] = static_cast<std::uint8_t>(width);
}

void InnerText::behind_slashes(char byte, std::size_t width, MeasuredText& out) {
  if (byte == '\\') {
    if (slashes_ == kSlashesMax) put_slashes(2, out);
    hold(byte, width);
    ++slashes_;
    return;
  }
  if (byte == 'u') return hold(byte, width);
  const bool escape = mode_ == Mode::kEscaped && slashes_ % 2 == 1 &&
                      std::string_view("bfnrt\"/").find(byte) != std::string_view::npos;
  if (!escape) {
    finish(out);
    return out.put({&byte, 1}, width);
  }
  put_slashes(slashes_ - 1, out);
  const std::array<char, 2> written{'\\', byte};
  out.put(json::first_unit({written.data(), written.size()}).view(), widths_[0] + width);
  size_ = slashes_ = 0;
}

// The first backslashes as what they are: where the text is JSON, two of them are one.
void InnerText::put_slashes(std::size_t count, MeasuredText& out) {
  for (std::size_t at = 0; at < count;) {
    const std::size_t end = mode_ == Mode::kEscaped ? std::min(at + 2, count) : at + 1;
    out.put("\\", width_of(at, end));
    at = end;
  }
  std::shift_left(begun_.begin(), begun_.end(), static_cast<std::ptrdiff_t>(count));
  std::shift_left(widths_.begin(), widths_.end(), static_cast<std::ptrdiff_t>(count));
  size_ -= count;
  slashes_ -= count;
}

std::size_t InnerText::width_of(std::size_t from, std::size_t to) const noexcept {
  return std::accumulate(widths_.begin() + static_cast<std::ptrdiff_t>(from),
                         widths_.begin() + static_cast<std::ptrdiff_t>(to), std::size_t{0});
}

void InnerText::finish(MeasuredText& out) {
  put_slashes(slashes_, out);
  for (std::size_t i = 0; i < size_; ++i) out.put({&begun_[i], 1}, widths_[i]);
  size_ = 0;
}

}  // namespace penstock::policy
