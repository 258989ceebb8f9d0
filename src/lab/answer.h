#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/ask.h"
#include "lab/fault.h"

namespace penstock::lab {

// What the mock says to a request: decided whole before the first byte of it, the same for a
// stream and for a unary reply. Views the Ask's body.
class Answer {
 public:
  Answer(const Ask& ask, const Fault& fault);

  // Tokens of one choice.
  [[nodiscard]] std::uint64_t tokens() const noexcept { return tokens_; }
  // What a choice adds with this token, ready to stand in a JSON string: a word of text, or a piece
  // of the tool call's arguments.
  [[nodiscard]] std::string_view token(std::uint32_t choice, std::uint64_t number) const noexcept;

  [[nodiscard]] bool calls_tool() const noexcept { return ask_.tool.has_value(); }
  // stop, length or tool_calls.
  [[nodiscard]] std::string_view finish_reason() const noexcept;
  // The members that every object of the reply begins with: `{"id":…,…,"model":…,`.
  // object: the value of its `object` member.
  void append_opening(std::string& out, std::string_view object) const;
  // `{"prompt_tokens":…}` after so many tokens in all choices together.
  void append_usage(std::string& out, std::uint64_t completion_tokens) const;
  // `"id":"call_…","type":"function","function":{"name":…,"arguments":"`, and the closing `"}`
  // is the caller's.
  void append_call(std::string& out, std::uint32_t choice) const;

  [[nodiscard]] const Ask& ask() const noexcept { return ask_; }

 private:
  const Ask& ask_;
  std::uint64_t tokens_ = 0;
  bool cut_ = false;                          // by the request's own limit
  std::vector<std::string> argument_pieces_;  // of the tool call, escaped
};

// The body of a unary chat or completions reply.
[[nodiscard]] std::string reply_body(const Answer& answer, const Fault& fault);

// The body of an embeddings reply.
[[nodiscard]] std::string embeddings_body(const Ask& ask, const Fault& fault);

}  // namespace penstock::lab
