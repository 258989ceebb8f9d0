#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock::json {

// What a value is, told by its first byte.
enum class Kind : std::uint8_t {
  kObject,
  kArray,
  kString,
  kNumber,
  kTrue,
  kFalse,
  kNull,
  kInvalid
};

// A strict pull reader over one JSON document: RFC 8259 and nothing more, in one pass, without a
// copy. Values come out as the bytes they are written in, so whatever the gateway does not
// understand (numbers of any size, lone surrogates, white space) can be passed on as it came.
//
// Why not simdjson: its on-demand reader does not notice a broken tail, refuses lone surrogates
// and numbers that do not fit a machine word, and needs a padded copy of every body.
//
//   json::Reader reader(text);
//   std::string_view key;
//   if (reader.enter_object())
//     while (reader.next_key(key)) {
//       const std::string_view value = reader.skip_value();
//       if (json::equals(key, "model")) model = value;
//     }
//   if (!reader.finish()) …not one well-formed document…
//
// text:    not retained beyond the reader; every view handed out points into it. Its encoding is
//          not judged: see utf8.h.
// errors:  the first one sticks: every later call does nothing, yields empty or false, and
//          finish() is false. Views got before an error are to be trusted only after finish().
// depth:   containers within containers; deeper ones are an error, found without recursion.
// cost:    O(bytes), no allocation.
class Reader {
 public:
  static constexpr std::uint32_t kDepthMax = 128;

  explicit Reader(std::string_view text) noexcept
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // The kind of the value that comes next. Consumes white space only.
  [[nodiscard]] Kind peek() noexcept;

  // Steps into the object or array that comes next; anything else is an error.
  bool enter_object() noexcept;
  bool enter_array() noexcept;

  // Moves to the next member: `key` becomes its name as written between the quotes (compare it
  // with equals()); the value must then be read or skipped. False at the end of the object, which
  // is then left behind, and on errors.
  bool next_key(std::string_view& key) noexcept;

  // Moves to the next element of an array; the same rules.
  bool next_element() noexcept;

  // Reads over the value that comes next and checks all of it; yields its bytes, quotes and
  // brackets included.
  std::string_view skip_value() noexcept;

  // A string's bytes between its quotes, escapes as written. Anything else is an error.
  std::string_view read_string() noexcept;

  // True when the whole text was one document and nothing but white space follows it. To be
  // called once its value has been read.
  [[nodiscard]] bool finish() noexcept;

  [[nodiscard]] bool ok() const noexcept { return !failed_; }

  // Where the reader stands, in bytes from the start: the place of the error after one.
  [[nodiscard]] std::size_t offset() const noexcept {
    return static_cast<std::size_t>(at_ - begin_);
  }

 private:
  void skip_space() noexcept;
  bool fail() noexcept;
  bool open(char bracket) noexcept;
  bool close_or_comma(char bracket) noexcept;
  bool scan_string(std::string_view& inside) noexcept;
  bool scan_number() noexcept;
  bool scan_digits() noexcept;
  bool scan_word(std::string_view word) noexcept;
  bool scan_scalar() noexcept;
  bool scan_key(std::string_view& key) noexcept;
  bool scan_containers() noexcept;

  const char* begin_;
  const char* at_;
  const char* end_;
  std::uint32_t depth_ = 0;
  bool first_ = false;  // inside a container of which nothing has been read yet
  bool failed_ = false;
};

// Whether `text` is exactly one well-formed document in UTF-8.
[[nodiscard]] bool valid(std::string_view text) noexcept;

}  // namespace penstock::json
