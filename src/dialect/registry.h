#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace penstock::dialect {

// An API family's spelling of requests, replies, streams and errors.
enum class Dialect : std::uint8_t { kOpenai };

// What the gateway must know of a dialect before it speaks it: one row each.
struct DialectInfo {
  Dialect dialect;
  std::string_view name;        // the word in the config
  std::string_view base_path;   // where its API begins when a replica's URL has no path
  std::string_view key_header;  // lower case: the header that carries the provider's key
  std::string_view key_prefix;  // stands before the key in it
};

[[nodiscard]] std::span<const DialectInfo> dialects() noexcept;

[[nodiscard]] const DialectInfo& info(Dialect dialect) noexcept;

// nullptr: no dialect of that name.
[[nodiscard]] const DialectInfo* find_dialect(std::string_view name) noexcept;

}  // namespace penstock::dialect
