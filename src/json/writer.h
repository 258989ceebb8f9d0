#pragma once

#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace penstock::json {

// Appends compact JSON to a string. It places the commas; keys and brackets are the caller's, with
// an assertion where they cannot be right.
//
//   std::string out;
//   json::Writer(out).begin_object().key("model").string(name).end_object();
class Writer {
 public:
  static constexpr std::size_t kDepthMax = 64;

  // Appends to `out`, which must outlive the writer.
  explicit Writer(std::string& out) noexcept : out_(out) {}

  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);
  Writer& string(std::string_view text);  // any bytes, see append_escaped
  template <std::integral T>
  Writer& integer(T value) {
    if constexpr (std::is_signed_v<T>) return put_signed(value);
    return put_unsigned(static_cast<std::uint64_t>(value));
  }
  Writer& number(double value);  // shortest form that reads back the same; null if not finite
  Writer& boolean(bool value);
  Writer& null();
  Writer& raw(std::string_view json);  // one value that is JSON already

 private:
  Writer& put_signed(std::int64_t value);
  Writer& put_unsigned(std::uint64_t value);
  void before_value();
  void open(char bracket);
  void close(char bracket);

  std::string& out_;
  std::bitset<kDepthMax> filled_;  // which open container has a member already
  std::size_t depth_ = 0;
  bool after_key_ = false;
};

}  // namespace penstock::json
