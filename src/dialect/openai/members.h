#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "json/reader.h"
#include "llm/usage.h"

// Readings that requests, replies and chunks share. Internal to this dialect. Each consumes the
// value that comes next, whatever it is.
namespace penstock::dialect::openai {

// A whole number from 0 to 10^15, also as `7.0` or `1E2`; nothing for all else.
[[nodiscard]] std::optional<std::uint64_t> read_count(json::Reader& reader) noexcept;

// The same, but for what is larger, however it is written: that is 10^15.
[[nodiscard]] std::optional<std::uint64_t> read_large_count(json::Reader& reader) noexcept;

// Whether a client library would take the value for true: not null, false, zero or empty.
[[nodiscard]] bool read_truthy(json::Reader& reader) noexcept;

// Whether it is a string, an array or an object with something in it.
[[nodiscard]] bool read_filled(json::Reader& reader) noexcept;

// The inside of a string as written; nothing when it is no string.
[[nodiscard]] std::optional<std::string_view> read_text(json::Reader& reader) noexcept;

// A `usage` member. The counts come out by our own arithmetic: cached within input, reasoning
// within output.
[[nodiscard]] llm::Usage read_usage(json::Reader& reader) noexcept;

// What a choice says of its end.
enum class Finish : std::uint8_t { kOpen, kFinished, kFailed };

// A `finish_reason` member. null, "" and "null" mean that the choice goes on; `error` and `abort`
// are what engines say when it broke.
[[nodiscard]] Finish read_finish(json::Reader& reader) noexcept;

// Where `part` begins within `whole`, of which it is a piece.
[[nodiscard]] inline std::size_t offset_in(std::string_view whole, std::string_view part) noexcept {
  return static_cast<std::size_t>(part.data() - whole.data());
}

}  // namespace penstock::dialect::openai
