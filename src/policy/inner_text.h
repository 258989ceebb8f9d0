#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::policy {

// Text in which identifiers are looked for, and of each of its bytes how many bytes it was written
// with.
struct MeasuredText {
  std::string bytes;
  std::string widths;  // a number each: 0 for the later bytes of one character

  void put(std::string_view character, std::size_t width) {
    for (std::size_t i = 0; i < character.size(); ++i) {
      bytes += character[i];
      widths += static_cast<char>(static_cast<unsigned char>(i == 0 ? width : 0));
    }
  }
};

// A text as a client reads it, or as a tool does: arguments of tools and their results are JSON
// again, with escapes of its own. A text that begins as JSON does (`{`, `[` or a quote behind white
// space) is read with JSON's escapes; whatever is none of them stands for itself. Any split gives
// the same.
class InnerText {
 public:
  // Appends a character of the text, which was written with `width` bytes.
  void put(std::string_view character, std::size_t width, MeasuredText& out);
  // The text has ended: what could have become an escape is none.
  void finish(MeasuredText& out);

  // Whether a whole text is read without escapes of its own.
  [[nodiscard]] static bool is_plain(std::string_view text) noexcept;

  // Whether no byte of it can have another meaning than itself.
  [[nodiscard]] bool plain() const noexcept { return mode_ == Mode::kPlain; }

 private:
  enum class Mode : std::uint8_t { kUnknown, kPlain, kEscaped };
  static constexpr std::size_t kEscapeMax = 6;  // \u0041

  void put_escaped(char byte, std::size_t width, MeasuredText& out);

  Mode mode_ = Mode::kUnknown;
  std::array<char, kEscapeMax> begun_{};  // an escape that has begun
  std::array<std::uint8_t, kEscapeMax> widths_{};
  std::size_t size_ = 0;
};

}  // namespace penstock::policy
