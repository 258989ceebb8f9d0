#include "lab/ask.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "dialect/openai/request.h"
#include "dialect/surface.h"
#include "json/reader.h"
#include "json/string.h"
#include "lab/member.h"
#include "lab/mix.h"

namespace penstock::lab {
namespace {

using dialect::Surface;

constexpr std::uint64_t kTokensMax = 1'000'000;
constexpr std::uint32_t kDimensionsMax = 4096;
constexpr std::uint32_t kInputsMax = 2048;

// The values that decide, as written. What is missing is empty.
struct Members {
  std::string_view prompt;  // messages, prompt or input
  std::string_view tools;
  std::string_view tool_choice;
  std::string_view encoding_format;
  std::optional<std::uint64_t> max_tokens;
  std::optional<std::uint64_t> max_completion_tokens;
  std::optional<std::uint64_t> dimensions;
};

std::string_view prompt_member(Surface surface) noexcept {
  if (surface == Surface::kChat) return "messages";
  return surface == Surface::kCompletions ? "prompt" : "input";
}

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Members read_members(std::string_view body, Surface surface) {
  Members members;
  const std::string_view prompt = prompt_member(surface);
  json::Reader reader(body);
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    const std::string_view value = reader.skip_value();
    if (json::equals(key, prompt))
      members.prompt = value;
    else if (json::equals(key, "tools"))
      members.tools = value;
    else if (json::equals(key, "tool_choice"))
      members.tool_choice = value;
    else if (json::equals(key, "encoding_format"))
      members.encoding_format = value;
    else if (json::equals(key, "max_tokens"))
      members.max_tokens = whole(value);
    else if (json::equals(key, "max_completion_tokens"))
      members.max_completion_tokens = whole(value);
    else if (json::equals(key, "dimensions"))
      members.dimensions = whole(value);
  }
  return members;
}

// Folds all the strings of a prompt into the seed and counts their words.
struct PromptMeter {
  std::uint64_t seed = 0;
  std::uint64_t words = 0;

  void text(std::string_view raw) {
    seed = mix(seed, raw);
    bool space = true;
    for (const char byte : raw) {
      words += space && byte != ' ' ? 1 : 0;
      space = byte == ' ';
    }
  }
  // A number in a prompt is a token.
  void number(std::string_view raw) {
    seed = mix(seed, raw);
    ++words;
  }
};

// One value of a prompt with all that is in it, keys left out. NOLINTNEXTLINE(misc-no-recursion)
void measure(json::Reader& reader, PromptMeter& meter) {
  std::string_view key;
  switch (reader.peek()) {
    case json::Kind::kString: return meter.text(reader.read_string());
    case json::Kind::kNumber: return meter.number(reader.skip_value());
    case json::Kind::kArray:
      reader.enter_array();
      while (reader.next_element()) measure(reader, meter);
      return;
    case json::Kind::kObject:
      reader.enter_object();
      while (reader.next_key(key)) {
        if (json::equals(key, "role") || json::equals(key, "type"))
          meter.seed = mix(meter.seed, reader.skip_value());
        else
          measure(reader, meter);
      }
      return;
    case json::Kind::kTrue:
    case json::Kind::kFalse:
    case json::Kind::kNull:
    case json::Kind::kInvalid: ignore(reader.skip_value(), "no words in it"); return;
  }
}

// The last message's role and its content as written.
struct LastMessage {
  std::string_view role;
  std::string_view content;
};

LastMessage last_message(std::string_view messages) {
  LastMessage last;
  json::Reader reader(messages);
  if (reader.peek() != json::Kind::kArray) return last;
  reader.enter_array();
  while (reader.next_element()) {
    if (reader.peek() != json::Kind::kObject) {
      ignore(reader.skip_value(), "no message");
      continue;
    }
    last = {};
    std::string_view key;
    reader.enter_object();
    while (reader.next_key(key)) {
      const std::string_view value = reader.skip_value();
      if (json::equals(key, "role")) last.role = value;
      if (json::equals(key, "content")) last.content = value;
    }
  }
  return last;
}

// The tool to call: the one that is named; else one that the last message mentions; else, where a
// call is required, the first.
std::optional<ToolAsk> choose_tool(const Members& members) {
  if (members.tools.empty() || members.tool_choice == "\"none\"") return std::nullopt;
  const bool required = members.tool_choice == "\"required\"";
  const std::string_view named =
      inside_quotes(member(member(members.tool_choice, "function"), "name"));
  const LastMessage last = last_message(members.prompt);
  const bool answered = inside_quotes(last.role) == "tool";
  std::optional<ToolAsk> first;
  json::Reader reader(members.tools);
  if (reader.peek() != json::Kind::kArray) return std::nullopt;
  reader.enter_array();
  while (reader.next_element()) {
    const std::string_view function = member(reader.skip_value(), "function");
    const ToolAsk tool{inside_quotes(member(function, "name")), member(function, "parameters")};
    if (tool.name_raw.empty()) continue;
    if (tool.name_raw == named) return tool;
    const bool mentioned = last.content.find(tool.name_raw) != std::string_view::npos;
    if (named.empty() && !answered && mentioned) return tool;
    if (!first) first = tool;
  }
  return required && named.empty() ? first : std::nullopt;
}

// Texts in an embeddings request: an array of arrays or strings has one each, everything else is
// one.
std::uint32_t count_inputs(std::string_view input) {
  json::Reader reader(input);
  if (reader.peek() != json::Kind::kArray) return 1;
  std::uint32_t count = 0;
  reader.enter_array();
  while (reader.next_element()) {
    if (reader.peek() == json::Kind::kNumber) return 1;
    ignore(reader.skip_value(), "only counted");
    ++count;
  }
  return std::clamp(count, 1U, kInputsMax);
}

Error missing(std::string_view name) {
  Error error(ErrorCode::kInvalidRequest, "The request has no " + std::string(name) + ".");
  error.param = name;
  return error;
}

}  // namespace

Result<Ask> read_ask(std::string_view body, Surface surface) {
  PENSTOCK_TRY(const dialect::openai::RequestView view,
               dialect::openai::read_request(body, surface));
  if (view.model_raw.empty()) return fail(missing("model"));
  const Members members = read_members(body, surface);
  if (members.prompt.empty()) return fail(missing(prompt_member(surface)));

  PromptMeter meter;
  json::Reader reader(members.prompt);
  measure(reader, meter);
  Ask ask;
  ask.surface = surface;
  ask.model_raw = view.model_raw;
  ask.seed = mix(meter.seed, view.model_raw);
  ask.prompt_tokens = meter.words;
  ask.tokens_max =
      members.max_completion_tokens ? members.max_completion_tokens : members.max_tokens;
  if (ask.tokens_max) ask.tokens_max = std::clamp<std::uint64_t>(*ask.tokens_max, 1, kTokensMax);
  ask.choices = std::max(view.choices, 1U);
  ask.stream = dialect::streams(surface) && view.streamed();
  ask.include_usage = view.wants_usage();
  if (surface == Surface::kChat) ask.tool = choose_tool(members);
  if (surface == Surface::kEmbeddings) {
    ask.inputs = count_inputs(members.prompt);
    ask.dimensions = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(members.dimensions.value_or(16), 1, kDimensionsMax));
    ask.base64 = members.encoding_format == "\"base64\"";
  }
  return ask;
}

}  // namespace penstock::lab
