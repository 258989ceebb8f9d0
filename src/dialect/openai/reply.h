#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/splice.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {

// What the gateway reads of a unary reply. Views point into the body.
struct ReplyView {
  std::string_view body;
  bool well_formed = false;         // one JSON object; when not, nothing below was read
  std::string_view model_raw = {};  // the top-level model as written, between its quotes
  bool has_model = false;
  bool has_error = false;   // an error object, whatever the status says
  bool has_finish = false;  // some choice has a finish reason
  llm::Usage usage = {};
};

// Reads a reply of chat, completions or embeddings. Never fails: what it does not understand is
// passed on as it is. O(bytes), allocates nothing.
[[nodiscard]] ReplyView read_reply(std::string_view body) noexcept;

// The reply under the model name that the client asked for, all other bytes as they were; no edit
// when it has no model or bears that name already. Views both arguments.
[[nodiscard]] json::Splice restamp(const ReplyView& reply, std::string_view public_model);

}  // namespace penstock::dialect::openai
