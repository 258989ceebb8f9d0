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
// space and a byte order mark) is read with JSON's escapes; whatever is none of them stands for
// itself. JSON may be nested deeper, or stand in a text that is none: so `\u0041` is a character
// behind however many backslashes, up to kSlashesMax, in every text. Any split gives the same.
class InnerText {
 public:
  // Appends a character of the text, which was written with `width` bytes.
  void put(std::string_view character, std::size_t width, MeasuredText& out);
  // The text has ended: what could have become an escape is none.
  void finish(MeasuredText& out);

  // Whether a whole text has no escapes of its own that are read.
  [[nodiscard]] static bool is_plain(std::string_view text) noexcept;

  // Whether no byte up to the next backslash can have another meaning than itself.
  [[nodiscard]] bool plain() const noexcept { return mode_ == Mode::kPlain && size_ == 0; }

 private:
  enum class Mode : std::uint8_t { kUnknown, kPlain, kEscaped };
  static constexpr std::size_t kSlashesMax = 8;  // JSON in JSON four times
  static constexpr std::size_t kDigits = 4;      // of \u0041

  void begin(char byte, std::size_t width, MeasuredText& out);
  void hold(char byte, std::size_t width) noexcept;
  void behind_slashes(char byte, std::size_t width, MeasuredText& out);
  void put_slashes(std::size_t count, MeasuredText& out);
  [[nodiscard]] std::size_t width_of(std::size_t from, std::size_t to) const noexcept;

  Mode mode_ = Mode::kUnknown;
  std::array<char, kSlashesMax + 1 + kDigits> begun_{};  // an escape: backslashes, `u`, digits
  std::array<std::uint8_t, kSlashesMax + 1 + kDigits> widths_{};
  std::size_t size_ = 0;
  std::size_t slashes_ = 0;  // of them
};

}  // namespace penstock::policy
