#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "llm/usage.h"

namespace penstock::dialect::openai {

enum class ChunkKind : std::uint8_t {
  kDone,       // [DONE]
  kMalformed,  // not a JSON object in UTF-8
  kError,      // it has a truthy `error`, which outranks whatever else it has
  kChunk,      // also a vendor's own object, which says nothing that is looked for here
};

// Choices beyond this many are taken for the last one (the API's `n` is at most 128).
inline constexpr std::size_t kChoicesMax = 128;
using ChoiceSet = std::bitset<kChoicesMax>;

// What the gateway reads of one stream event's data. Views point into the data.
struct ChunkView {
  ChunkKind kind = ChunkKind::kMalformed;
  bool has_content = false;    // something that a client would show or act on
  bool finish_failed = false;  // a finish reason that means failure: `error`, `abort`
  bool usage_only = false;     // no choices but usage: the chunk that include_usage adds
  bool has_model = false;
  std::string_view model_raw = {};  // the top-level model as written, between its quotes
  ChoiceSet seen = {};              // the choices it speaks of, by index
  ChoiceSet finished = {};          // those of them that have a finish reason
  llm::Usage usage = {};

  [[nodiscard]] bool finish() const noexcept { return finished.any(); }
};

// Reads one event's data, chat or completions. O(bytes), one pass, allocates nothing.
[[nodiscard]] ChunkView read_chunk(std::string_view data) noexcept;

}  // namespace penstock::dialect::openai
