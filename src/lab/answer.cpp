#include "lab/answer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "json/reader.h"
#include "json/string.h"
#include "lab/ask.h"
#include "lab/fault.h"
#include "lab/member.h"
#include "lab/mix.h"
#include "lab/words.h"

namespace penstock::lab {
namespace {

constexpr std::uint64_t kTokensUsual = 16;
constexpr std::size_t kPieceBytes = 8;  // of a tool call's arguments
constexpr std::size_t kPropertiesMax = 64;
constexpr std::uint64_t kCreatedFirst = 1'700'000'000;  // any fixed day will do

// A value that a property of this schema takes.
std::string value_for(std::string_view schema, std::uint64_t seed) {
  const std::string_view type = member(schema, "type");
  if (const std::string_view words = member(schema, "enum"); words.starts_with('[')) {
    json::Reader reader(words);
    reader.enter_array();
    if (reader.next_element()) return std::string(reader.skip_value());
  }
  if (type == "\"integer\"" || type == "\"number\"") return std::to_string(seed % 100);
  if (type == "\"boolean\"") return "true";
  if (type == "\"array\"") return "[]";
  if (type == "\"object\"") return "{}";
  return fmt::format("\"{}\"", token_text(seed, 0, 0));
}

// Arguments with a value for every property of the schema, in its order.
std::string arguments_for(const ToolAsk& tool, std::uint64_t seed) {
  std::string out = "{";
  const std::string_view properties = member(tool.parameters, "properties");
  json::Reader reader(properties);
  if (reader.peek() == json::Kind::kObject) {
    std::string_view key;
    std::size_t count = 0;
    reader.enter_object();
    while (count < kPropertiesMax && reader.next_key(key)) {
      const std::string_view schema = reader.skip_value();
      if (count != 0) out += ',';
      fmt::format_to(std::back_inserter(out), "\"{}\":{}", key, value_for(schema, seed + count));
      ++count;
    }
  }
  return out + '}';
}

// Cuts between characters of UTF-8, and escapes each piece by itself.
std::vector<std::string> escaped_pieces(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    std::size_t size = std::min(kPieceBytes, text.size());
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) ++size;
    json::append_escaped(pieces.emplace_back(), text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

void append_text_choice(std::string& out, const Answer& answer, std::uint32_t choice) {
  const bool chat = answer.ask().chat();
  fmt::format_to(std::back_inserter(out), "{{\"index\":{},{}", choice,
                 chat ? "\"message\":{\"role\":\"assistant\",\"content\":\"" : "\"text\":\"");
  for (std::uint64_t i = 0; i < answer.tokens(); ++i) out += answer.token(choice, i);
  out += chat ? "\",\"refusal\":null}" : "\"";
}

void append_call_choice(std::string& out, const Answer& answer, std::uint32_t choice) {
  fmt::format_to(std::back_inserter(out),
                 "{{\"index\":{},\"message\":{{\"role\":\"assistant\",\"content\":null,"
                 "\"tool_calls\":[{{",
                 choice);
  answer.append_call(out, choice);
  for (std::uint64_t i = 0; i < answer.tokens(); ++i) out += answer.token(choice, i);
  out += "\"}}]}";
}

}  // namespace

Answer::Answer(const Ask& ask, const Fault& fault) : ask_(ask) {
  if (ask.tool) {
    argument_pieces_ = escaped_pieces(arguments_for(*ask.tool, ask.seed));
    tokens_ = argument_pieces_.size();
    return;
  }
  tokens_ = fault.tokens ? *fault.tokens : kTokensUsual;
  cut_ = ask.tokens_max && *ask.tokens_max < tokens_;
  if (cut_) tokens_ = *ask.tokens_max;
}

std::string_view Answer::token(std::uint32_t choice, std::uint64_t number) const noexcept {
  if (calls_tool()) return argument_pieces_[number];
  return token_text(ask_.seed, choice, number);
}

std::string_view Answer::finish_reason() const noexcept {
  if (calls_tool()) return "tool_calls";
  return cut_ ? "length" : "stop";
}

void Answer::append_opening(std::string& out, std::string_view object) const {
  fmt::format_to(std::back_inserter(out),
                 "{{\"id\":\"{}-{:016x}\",\"object\":\"{}\",\"created\":{},\"model\":\"{}\","
                 "\"system_fingerprint\":\"fp_mock\",",
                 ask_.chat() ? "chatcmpl" : "cmpl", ask_.seed, object,
                 kCreatedFirst + ask_.seed % 10'000'000, ask_.model_raw);
}

void Answer::append_usage(std::string& out, std::uint64_t completion_tokens) const {
  fmt::format_to(std::back_inserter(out),
                 "{{\"prompt_tokens\":{},\"completion_tokens\":{},\"total_tokens\":{}}}",
                 ask_.prompt_tokens, completion_tokens, ask_.prompt_tokens + completion_tokens);
}

void Answer::append_call(std::string& out, std::uint32_t choice) const {
  fmt::format_to(std::back_inserter(out),
                 "\"id\":\"call_{:016x}\",\"type\":\"function\",\"function\":{{\"name\":\"{}\","
                 "\"arguments\":\"",
                 mix(ask_.seed + choice), ask_.tool->name_raw);
}

std::string reply_body(const Answer& answer, const Fault& fault) {
  std::string out;
  out.reserve(512 + answer.tokens() * 8 * answer.ask().choices);
  answer.append_opening(out, answer.ask().chat() ? "chat.completion" : "text_completion");
  out += "\"choices\":[";
  for (std::uint32_t choice = 0; choice < answer.ask().choices; ++choice) {
    if (choice != 0) out += ',';
    if (answer.calls_tool())
      append_call_choice(out, answer, choice);
    else
      append_text_choice(out, answer, choice);
    out += ",\"logprobs\":null,\"finish_reason\":";
    if (fault.missing_finish)
      out += "null}";
    else
      fmt::format_to(std::back_inserter(out), "\"{}\"}}", answer.finish_reason());
  }
  out += ']';
  if (fault.usage != UsageFault::kNone) {
    out += ",\"usage\":";
    answer.append_usage(out, answer.tokens() * answer.ask().choices);
  }
  return out + '}';
}

}  // namespace penstock::lab
