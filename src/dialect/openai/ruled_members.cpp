#include "dialect/openai/ruled_members.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fold_case.h"
#include "json/reader.h"
#include "json/string.h"

namespace penstock::dialect::openai {
namespace {

enum class Reads : std::uint8_t {
  kElsewhere,  // by the request's own reader
  kValue,
  kPrompt,
  kList,    // tools, unless it is null or empty
  kChoice,  // a tool, unless it is null or "none"
  kTool,    // a tool by being there, unless it is null
  kCeiling,
  kModels,
  kTemplate,
  kTemplateValues,
  kAnything,  // members of any name, which some servers lift out of it
};

struct Row {
  std::string_view name;
  Reads reads;
  std::string_view RuledMembers::* value = nullptr;
};

// source: OpenAI's API reference for the members of its own; llama.cpp (`n_predict`), Ollama
// (`num_predict`), TGI (`max_new_tokens`), vLLM (`chat_template`), Gemini (`generation_config`),
// Anthropic (`mcp_servers`), xAI (`search_parameters`) and OpenRouter (`models`, `plugins`) for the
// others. Seen 2026-11. A name with capitals stands here in lower case too, as its readers in Go
// would take it.
constexpr std::array<Row, 56> kRows{{
    {"model", Reads::kElsewhere},
    {"messages", Reads::kElsewhere},
    {"max_tokens", Reads::kValue, &RuledMembers::max_tokens},
    {"max_completion_tokens", Reads::kValue, &RuledMembers::max_completion_tokens},
    {"n", Reads::kValue, &RuledMembers::n},
    {"best_of", Reads::kValue, &RuledMembers::best_of},
    {"prompt", Reads::kPrompt},
    {"tools", Reads::kList},
    {"functions", Reads::kList},
    {"tool_choice", Reads::kChoice},
    {"function_call", Reads::kChoice},
    {"web_search_options", Reads::kTool},
    {"search_parameters", Reads::kTool},
    {"plugins", Reads::kList},
    {"mcp_servers", Reads::kList},
    {"data_sources", Reads::kList},
    {"enable_search", Reads::kTool},
    {"search_options", Reads::kTool},
    {"compound_custom", Reads::kTool},
    {"n_predict", Reads::kCeiling},
    {"num_predict", Reads::kCeiling},
    {"max_new_tokens", Reads::kCeiling},
    {"max_output_tokens", Reads::kCeiling},
    {"max_length", Reads::kCeiling},
    {"max_tokens_to_sample", Reads::kCeiling},
    {"maxOutputTokens", Reads::kCeiling},
    {"maxoutputtokens", Reads::kCeiling},
    {"generation_config", Reads::kCeiling},
    {"generationConfig", Reads::kCeiling},
    {"generationconfig", Reads::kCeiling},
    {"options", Reads::kCeiling},
    {"num_return_sequences", Reads::kCeiling},
    {"models", Reads::kModels},
    {"fallbacks", Reads::kModels},
    {"provider", Reads::kModels},
    {"route", Reads::kModels},
    {"preset", Reads::kModels},
    {"fallback_models", Reads::kModels},
    {"user_config", Reads::kModels},
    {"lora", Reads::kModels},
    {"lora_path", Reads::kModels},
    {"adapter_id", Reads::kModels},
    {"chat_template", Reads::kTemplate},
    {"template", Reads::kTemplate},
    {"raw", Reads::kTemplate},
    {"system", Reads::kTemplate},
    {"truncate_prompt_tokens", Reads::kTemplate},
    {"truncation_side", Reads::kTemplate},
    {"truncation", Reads::kTemplate},
    {"truncate", Reads::kTemplate},
    {"prompt_truncate_len", Reads::kTemplate},
    {"context_length_exceeded_behavior", Reads::kTemplate},
    {"transforms", Reads::kTemplate},
    {"chat_template_kwargs", Reads::kTemplateValues},
    {"extra_body", Reads::kAnything},
}};

bool is_none(std::string_view value) noexcept {
  return value.size() > 2 && value.front() == '"' &&
         json::equals(value.substr(1, value.size() - 2), "none");
}

// Whether an array with nothing in it.
bool is_empty_list(std::string_view value) noexcept {
  json::Reader reader(value);
  return reader.peek() == json::Kind::kArray && reader.enter_array() && !reader.next_element();
}

// What a template is handed beside the messages. Switches and numbers pass; engines have taken a
// whole template from a text in there, and templates take tools from a list.
struct TemplateValues {
  bool more_than_switches = false;
  bool more_than_texts = false;
};

TemplateValues template_values(std::string_view raw) noexcept {
  json::Reader reader(raw);
  if (reader.peek() == json::Kind::kNull) return {};
  if (reader.peek() != json::Kind::kObject) return {true, true};
  TemplateValues values;
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    const json::Kind kind = reader.peek();
    const bool nested = kind == json::Kind::kObject || kind == json::Kind::kArray;
    values.more_than_texts |= nested;
    values.more_than_switches |= nested || kind == json::Kind::kString;
    reader.skip_value();
  }
  return values;
}

// A list of texts, or of lists of tokens, is a prompt each; all else is one.
std::uint64_t count_prompts(json::Reader& reader) noexcept {
  if (reader.peek() != json::Kind::kArray) {
    reader.skip_value();
    return 1;
  }
  std::uint64_t prompts = 0;
  reader.enter_array();
  while (reader.next_element()) {
    const json::Kind kind = reader.peek();
    if (kind == json::Kind::kString || kind == json::Kind::kArray) ++prompts;
    reader.skip_value();
  }
  return std::max<std::uint64_t>(prompts, 1);
}

// As readers see it that ignore case. Empty for what they see as it is written, and for what no
// name can be.
std::string folded(std::string_view key) {
  constexpr std::size_t kLongest = 200;  // of the longest name, each byte an escape
  const auto odd = [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '\\' || static_cast<unsigned char>(c) >= 0x80;
  };
  if (key.size() > kLongest || std::ranges::none_of(key, odd)) return {};
  return fold_case(json::unescape(key));
}

}  // namespace

bool RuledReader::read(std::string_view key, json::Reader& reader) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const Row& row = kRows[i];
    if (row.reads == Reads::kElsewhere || !json::equals(key, row.name)) continue;
    once(i);
    if (row.reads == Reads::kPrompt) {
      into_.prompts = count_prompts(reader);
      return true;
    }
    const std::string_view value = reader.skip_value();
    const auto note = [&](std::string_view& first) {
      if (value != "null" && first.empty()) first = row.name;
    };
    switch (row.reads) {
      case Reads::kValue: into_.*row.value = value; break;
      case Reads::kList:
        if (!is_empty_list(value)) note(into_.tools);
        break;
      case Reads::kChoice:
        if (!is_none(value)) note(into_.tools);
        break;
      case Reads::kTool: note(into_.tools); break;
      case Reads::kCeiling: note(into_.other_ceiling); break;
      case Reads::kModels: note(into_.other_models); break;
      case Reads::kTemplate: note(into_.other_template); break;
      case Reads::kTemplateValues: {
        const TemplateValues values = template_values(value);
        if (values.more_than_switches) note(into_.other_template);
        if (values.more_than_texts) note(into_.tools);
        break;
      }
      case Reads::kAnything:
        note(into_.tools);
        note(into_.other_ceiling);
        note(into_.other_models);
        note(into_.other_template);
        break;
      case Reads::kElsewhere:
      case Reads::kPrompt: break;
    }
    return true;
  }
  return false;
}

void RuledReader::unknown(std::string_view key) {
  if (!into_.respelled.empty()) return;
  const std::string name = folded(key);
  if (name.empty()) return;
  const auto row = std::ranges::find(kRows, name, &Row::name);
  if (row != kRows.end()) into_.respelled = row->name;
}

void RuledReader::once(std::size_t row) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << row;
  if ((seen_ & bit) != 0) {
    const Reads reads = kRows[row].reads;
    const bool counted = reads == Reads::kValue || reads == Reads::kPrompt;
    if (into_.twice.empty()) into_.twice = kRows[row].name;
    if (counted && into_.counted_twice.empty()) into_.counted_twice = kRows[row].name;
  }
  seen_ |= bit;
}

bool messages_hand_tools(std::string_view messages) {
  json::Reader reader(messages);
  std::string_view key;
  reader.enter_array();
  while (reader.next_element()) {
    if (reader.peek() != json::Kind::kObject) {
      reader.skip_value();
      continue;
    }
    reader.enter_object();
    while (reader.next_key(key)) {
      const std::string_view value = reader.skip_value();
      const std::string name = fold_case(json::unescape(key));
      if (name != "tools" && name != "functions") continue;
      if (value != "null" && !is_empty_list(value)) return true;
    }
  }
  return false;
}

}  // namespace penstock::dialect::openai
