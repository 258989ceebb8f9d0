#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock::policy {

// The part of a text that is known by now. Bytes before the place that is looked at are what stood
// there in the text, so that a finder can see whether it begins within a word.
struct Window {
  std::string_view bytes;
  bool final = true;  // the text ends with it; else more may come
};

constexpr bool is_digit(int byte) noexcept { return byte >= '0' && byte <= '9'; }
constexpr bool is_upper(int byte) noexcept { return byte >= 'A' && byte <= 'Z'; }
constexpr bool is_letter(int byte) noexcept {
  return is_upper(byte) || (byte >= 'a' && byte <= 'z');
}
constexpr bool is_alnum(int byte) noexcept { return is_digit(byte) || is_letter(byte); }
constexpr bool is_hex(int byte) noexcept {
  return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// How an identifier goes on behind the place where it was recognised for sure: some have no length
// that could be waited for.
enum class Tail : std::uint8_t {
  kNone,
  kKeyChars,     // letters, digits, `_`, `-`
  kDottedChars,  // these and `.`
  kPem,          // the inside of a PEM block, to its END line or to what cannot be one
};

// Whether an identifier with such a tail goes on with that byte.
constexpr bool is_key_char(int byte, Tail tail) noexcept {
  return is_alnum(byte) || byte == '-' || byte == '_' ||
         (byte == '.' && tail == Tail::kDottedChars);
}

// What a finder says of a window from a place on.
struct Found {
  enum class What : std::uint8_t {
    kNone,   // nothing begins in it
    kMatch,  // an identifier at [begin, end), the first one; nothing begins before it
    kMaybe,  // nothing begins before `begin`; from there on the next bytes decide
  };
  What what = What::kNone;
  std::size_t begin = 0;
  std::size_t end = 0;
  Tail tail = Tail::kNone;

  static Found match(std::size_t begin, std::size_t end, Tail tail = Tail::kNone) noexcept {
    return {What::kMatch, begin, end, tail};
  }
  static Found maybe(std::size_t begin) noexcept {
    return {What::kMaybe, begin, begin, Tail::kNone};
  }
};

// Reads ahead in a window and notes when it would have had to see beyond its end.
class Look {
 public:
  static constexpr int kEnd = -1;

  explicit Look(const Window& window) noexcept : window_(window) {}

  // The byte there, or kEnd.
  int at(std::size_t place) noexcept {
    if (place < window_.bytes.size()) return static_cast<unsigned char>(window_.bytes[place]);
    beyond_ = beyond_ || !window_.final;
    return kEnd;
  }
  // Whether what was read may read differently once more is known.
  [[nodiscard]] bool beyond() const noexcept { return beyond_; }

 private:
  const Window& window_;
  bool beyond_ = false;
};

// Whether that ends with an escape of JSON whose last byte is a letter or a digit.
[[nodiscard]] bool ends_with_escape(std::string_view text) noexcept;

// The byte before a place, or Look::kEnd at the very beginning.
[[nodiscard]] inline int before(const Window& window, std::size_t place) noexcept {
  return place == 0 ? Look::kEnd : static_cast<unsigned char>(window.bytes[place - 1]);
}

// Whether what stands before a place may be an escape of JSON that ends with a letter or a digit:
// `\n` or `\u00a0`. A text that is not read as JSON may still quote some.
[[nodiscard]] inline bool behind_escape(const Window& window, std::size_t place) noexcept {
  constexpr std::size_t kLetter = 2;
  constexpr std::size_t kUnicode = 6;
  const auto begins = [&](std::size_t size) {
    return place >= size && window.bytes[place - size] == '\\';
  };
  if (!begins(kLetter) && !begins(kUnicode)) return false;  // nearly always
  return ends_with_escape(window.bytes.substr(0, place));
}

// Whether a word or a number goes on there from before.
[[nodiscard]] inline bool within_word(const Window& window, std::size_t place) noexcept {
  return is_alnum(before(window, place)) && !behind_escape(window, place);
}

// Whether a number goes on there behind one of `joints`: `4.` before `111`.
[[nodiscard]] inline bool joined(const Window& window, std::size_t place,
                                 std::string_view joints) noexcept {
  if (place < 2) return false;
  const char joint = window.bytes[place - 1];
  return joints.find(joint) != std::string_view::npos &&
         is_digit(static_cast<unsigned char>(window.bytes[place - 2]));
}

// The beginning of `text` that does not end within a character. What is no UTF-8 at all counts as
// characters.
[[nodiscard]] std::string_view whole_characters(std::string_view text) noexcept;

}  // namespace penstock::policy
