#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/reader.h"

// Members of a request that rules about callers read. Internal to this dialect but for the struct.
namespace penstock::dialect::openai {

// What they say, for whoever has a rule: nothing here is judged. Values as they are written; empty:
// there is no such member. The views point into the body, or are constants where they are names.
struct RuledMembers {
  std::string_view max_tokens{};
  std::string_view max_completion_tokens{};
  std::string_view n{};
  std::string_view best_of{};
  std::uint64_t prompts = 1;  // how many `prompt` holds: a text or its tokens are one
  std::string_view tools{};   // the name of the first member that hands the model a tool
  // The first member by which engines know another ceiling of the output (`n_predict`, …), the
  // first by which a provider chooses models or places beside `model`, and the first that may
  // change how messages become the prompt.
  std::string_view other_ceiling{};
  std::string_view other_models{};
  std::string_view other_template{};
  // The name of a member of these, `model` or `messages` that cannot be judged, for a provider may
  // read another one than we do: it stands there twice, …
  std::string_view twice{};
  std::string_view counted_twice{};  // the first such one among those that say how much is made
  // … or in a spelling that only readers who ignore case take for it.
  std::string_view respelled{};
};

// Reads one request's members. One for each request.
class RuledReader {
 public:
  explicit RuledReader(RuledMembers& into) noexcept : into_(into) {}

  // Consumes the value of `key` (as written, between its quotes) where it is one of these.
  [[nodiscard]] bool read(std::string_view key, json::Reader& reader);
  // A member that nobody knows, whose value somebody else consumes: whether it only looks unknown.
  void unknown(std::string_view key);

 private:
  void once(std::size_t row) noexcept;

  RuledMembers& into_;
  std::uint64_t seen_ = 0;  // a bit for each row
};

// Whether a message brings tools of its own, as templates of some engines (vLLM's) take them from a
// `developer` message. What a model called earlier (`tool_calls`) is none.
//
// messages: from the opening bracket of `messages` on, of a request that was found sound.
// cost: one pass over them.
[[nodiscard]] bool messages_hand_tools(std::string_view messages);

}  // namespace penstock::dialect::openai
