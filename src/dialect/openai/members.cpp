#include "dialect/openai/members.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "json/reader.h"
#include "json/string.h"
#include "llm/finish.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {
namespace {

constexpr double kCountMax = 1e15;  // below 2^53, so that a double holds it exactly

std::optional<std::uint64_t> count_of(std::string_view raw) noexcept {
  double value = 0;
  const char* const end = raw.data() + raw.size();
  const auto [behind, error] = std::from_chars(raw.data(), end, value);
  if (error != std::errc() || behind != end || !(value >= 0 && value <= kCountMax)) return {};
  const auto count = static_cast<std::uint64_t>(value);
  if (static_cast<double>(count) != value) return {};
  return count;
}

// raw: a JSON number. What no double can hold is taken for large, a fraction of nothing too.
bool is_large(std::string_view raw) noexcept {
  double value = 0;
  const auto [behind, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error == std::errc::result_out_of_range) return !raw.starts_with('-');
  return error == std::errc() && value > kCountMax;
}

// Most counts are a few digits; from_chars for doubles is for the rest.
std::optional<std::uint64_t> count_of_digits(std::string_view raw) noexcept {
  if (raw.empty() || raw.size() > 15) return {};
  std::uint64_t count = 0;
  for (const char digit : raw) {
    if (digit < '0' || digit > '9') return {};
    count = count * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return count;
}

bool is_space(char byte) noexcept {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// raw: a whole string, array or object.
bool is_filled(std::string_view raw) noexcept {
  if (raw.size() <= 2) return false;
  if (raw.front() == '"') return true;
  return !std::all_of(raw.begin() + 1, raw.end() - 1, is_space);
}

bool is_zero(std::string_view number) noexcept {
  for (const char byte : number) {
    if (byte == 'e' || byte == 'E') break;
    if (byte >= '1' && byte <= '9') return false;
  }
  return true;
}

struct Details {
  std::optional<std::uint64_t> cached;
  std::optional<std::uint64_t> cache_write;
  std::optional<std::uint64_t> reasoning;
};

// prompt_tokens_details and completion_tokens_details have no names in common.
void read_details(json::Reader& reader, Details& details) noexcept {
  if (reader.peek() != json::Kind::kObject) {
    reader.skip_value();
    return;
  }
  reader.enter_object();
  std::string_view key;
  while (reader.next_key(key)) {
    if (json::equals(key, "cached_tokens"))
      details.cached = read_count(reader);
    else if (json::equals(key, "cache_write_tokens"))
      details.cache_write = read_count(reader);
    else if (json::equals(key, "reasoning_tokens"))
      details.reasoning = read_count(reader);
    else
      reader.skip_value();
  }
}

std::optional<std::uint64_t> at_most(std::optional<std::uint64_t> part,
                                     std::optional<std::uint64_t> whole) noexcept {
  return part && whole ? std::min(*part, *whole) : part;
}

}  // namespace

std::optional<std::uint64_t> read_count(json::Reader& reader) noexcept {
  if (reader.peek() != json::Kind::kNumber) {
    reader.skip_value();
    return {};
  }
  const std::string_view raw = reader.skip_value();
  const auto count = count_of_digits(raw);
  return count ? count : count_of(raw);
}

std::optional<std::uint64_t> read_large_count(json::Reader& reader) noexcept {
  if (reader.peek() != json::Kind::kNumber) {
    reader.skip_value();
    return {};
  }
  const std::string_view raw = reader.skip_value();
  json::Reader again(raw);
  const auto count = read_count(again);
  return count || !is_large(raw) ? count : static_cast<std::uint64_t>(kCountMax);
}

bool read_truthy(json::Reader& reader) noexcept {
  const json::Kind kind = reader.peek();
  const std::string_view raw = reader.skip_value();
  switch (kind) {
    case json::Kind::kObject:
    case json::Kind::kArray:
    case json::Kind::kString: return is_filled(raw);
    case json::Kind::kNumber: return !is_zero(raw);
    case json::Kind::kTrue: return true;
    case json::Kind::kFalse:
    case json::Kind::kNull:
    case json::Kind::kInvalid: return false;
  }
  return false;
}

bool read_filled(json::Reader& reader) noexcept {
  const json::Kind kind = reader.peek();
  const std::string_view raw = reader.skip_value();
  const bool holds =
      kind == json::Kind::kObject || kind == json::Kind::kArray || kind == json::Kind::kString;
  return holds && is_filled(raw);
}

std::optional<std::string_view> read_text(json::Reader& reader) noexcept {
  if (reader.peek() == json::Kind::kString) return reader.read_string();
  reader.skip_value();
  return {};
}

llm::Usage read_usage(json::Reader& reader) noexcept {
  llm::Usage usage;
  if (reader.peek() != json::Kind::kObject) {
    reader.skip_value();
    return usage;
  }
  std::optional<std::uint64_t> total;
  std::optional<std::uint64_t> hit;
  Details details;
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    if (json::equals(key, "prompt_tokens"))
      usage.input = read_count(reader);
    else if (json::equals(key, "completion_tokens"))
      usage.output = read_count(reader);
    else if (json::equals(key, "total_tokens"))
      total = read_count(reader);
    else if (json::equals(key, "prompt_cache_hit_tokens") || json::equals(key, "num_cached_tokens"))
      hit = read_count(reader);  // DeepSeek's and Mistral's spelling
    else if (json::equals(key, "prompt_tokens_details") ||
             json::equals(key, "completion_tokens_details"))
      read_details(reader, details);
    else
      reader.skip_value();
  }
  // xAI counts reasoning beside the completion instead of within it; its total gives that away.
  const bool beside = usage.input && usage.output && total && details.reasoning.value_or(0) > 0 &&
                      *total == *usage.input + *usage.output + *details.reasoning;
  if (beside) *usage.output += *details.reasoning;
  usage.input_cached = at_most(details.cached ? details.cached : hit, usage.input);
  usage.input_cache_write = at_most(details.cache_write, usage.input);
  usage.output_reasoning = at_most(details.reasoning, usage.output);
  return usage;
}

Finish read_finish(json::Reader& reader) noexcept {
  if (reader.peek() != json::Kind::kString)
    return read_truthy(reader) ? Finish::kFinished : Finish::kOpen;
  const std::string_view reason = reader.read_string();
  if (llm::goes_on(reason)) return Finish::kOpen;
  const bool failed = json::equals(reason, "error") || json::equals(reason, "abort");
  return failed ? Finish::kFailed : Finish::kFinished;
}

}  // namespace penstock::dialect::openai
