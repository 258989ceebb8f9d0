#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "dialect/surface.h"

namespace penstock::lab {

// A tool as the request declares it.
struct ToolAsk {
  std::string_view name_raw;    // as written, between its quotes
  std::string_view parameters;  // its JSON schema as written; may be empty
};

// What the mock reads of a request. Views point into its body.
struct Ask {
  dialect::Surface surface = dialect::Surface::kNone;
  std::string_view model_raw;       // as written, between its quotes
  std::uint64_t seed = 0;           // the same for the same conversation, however it is asked
  std::uint64_t prompt_tokens = 0;  // its words
  std::optional<std::uint64_t> tokens_max;
  std::uint32_t choices = 1;
  bool stream = false;
  bool include_usage = false;
  std::optional<ToolAsk> tool;  // the one to call; not set: answer with text

  // Embeddings only.
  std::uint32_t inputs = 1;
  std::uint32_t dimensions = 16;
  bool base64 = false;

  [[nodiscard]] bool chat() const noexcept { return surface == dialect::Surface::kChat; }
};

// Reads a request of chat, completions or embeddings.
// errors: those of dialect::openai::read_request; kInvalidRequest when the model or the prompt is
// missing.
[[nodiscard]] Result<Ask> read_ask(std::string_view body, dialect::Surface surface);

}  // namespace penstock::lab
