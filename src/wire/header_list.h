#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace penstock::wire {

// ASCII only; bytes above 0x7f equal themselves.
[[nodiscard]] bool equals_ignore_case(std::string_view left, std::string_view right) noexcept;

[[nodiscard]] bool is_one_of(std::string_view name,
                             std::span<const std::string_view> names) noexcept;

// The bytes without the spaces and tabs around them (OWS of RFC 9110 section 5.6.3).
[[nodiscard]] std::string_view trim(std::string_view bytes) noexcept;

// What a Content-Type says before its parameters, trimmed (RFC 9110 section 8.3.1).
[[nodiscard]] inline std::string_view media_type(std::string_view content_type) noexcept {
  return trim(content_type.substr(0, content_type.find(';')));
}

// Takes the next element off a comma list such as the value of Connection, trimmed; empty elements
// are skipped (RFC 9110 section 5.6.1). nullopt: no more. Quoted strings are not understood: only
// for lists of tokens.
[[nodiscard]] std::optional<std::string_view> next_element(std::string_view& list) noexcept;

// Whether a comma list has this token, whatever its case.
[[nodiscard]] bool list_contains_token(std::string_view list, std::string_view token) noexcept;

// One field line. Views only: whoever fills a HeaderList keeps the bytes alive.
struct Header {
  std::string_view name;
  std::string_view value;  // without white space around it
};

// Field lines in the order they came, duplicates included. Owns no bytes. The first
// `kInlineFields` cost no allocation; after clear() earlier capacity is used again.
class HeaderList {
 public:
  static constexpr std::size_t kInlineFields = 32;
  static constexpr std::size_t kFieldsMax = 1024;  // add() asserts; parsers refuse long before

  void add(std::string_view name, std::string_view value);
  void clear() noexcept;

  // The value of the first field with this name, whatever its case.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  // How many fields have this name.
  [[nodiscard]] std::size_t count(std::string_view name) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const Header* begin() const noexcept {
    return size_ <= kInlineFields ? inline_.data() : spilled_.data();
  }
  [[nodiscard]] const Header* end() const noexcept { return begin() + size_; }
  [[nodiscard]] const Header& operator[](std::size_t i) const noexcept { return begin()[i]; }

 private:
  void spill(Header header);

  std::size_t size_ = 0;
  std::array<Header, kInlineFields> inline_;
  std::vector<Header> spilled_;  // all fields, once there are more than kInlineFields
};

}  // namespace penstock::wire
