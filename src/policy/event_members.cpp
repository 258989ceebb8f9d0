#include "policy/event_members.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "json/string.h"

namespace penstock::policy {
namespace {

using Names = std::span<const std::string_view>;

constexpr auto kAnywhere = std::to_array<std::string_view>(
    {"id", "type", "role", "call_id", "tool_call_id", "item_id", "index"});

constexpr auto kEnvelope = std::to_array<std::string_view>(
    {"id", "object", "created", "model", "system_fingerprint", "service_tier"});

// Of the event itself, beside these.
constexpr auto kAtTop = std::to_array<std::string_view>({"provider", "obfuscation", "p"});

constexpr auto kInChoice = std::to_array<std::string_view>(
    {"finish_reason", "native_finish_reason", "stop_reason", "matched_stop"});

// Members that hold a tool's `name`.
constexpr auto kTools = std::to_array<std::string_view>({"function", "function_call", "custom"});

// Lists of things that come whole.
constexpr auto kLists = std::to_array<std::string_view>(
    {"annotations", "citations", "images", "usage", "x_groq", "search_results",
     "content_filter_results", "prompt_filter_results", "extra_content"});

// Members that say one word of a few, in every event anew.
constexpr auto kTellers = std::to_array<std::string_view>({"channel", "status", "format"});
constexpr auto kWords = std::to_array<std::string_view>(
    {"analysis", "commentary", "final", "completed", "in_progress", "incomplete", "failed",
     "searching", "unknown", "openai-responses-v1", "azure-openai-responses-v1",
     "anthropic-claude-v1", "google-gemini-v1", "xai-responses-v1"});

bool is_one_of(std::string_view key, Names names) noexcept {
  return std::ranges::any_of(names,
                             [key](std::string_view name) { return json::equals(key, name); });
}

}  // namespace

bool is_whole(std::string_view key, std::string_view value, const MemberPlace& place) noexcept {
  if (value.starts_with('{') || value.starts_with('[')) return is_one_of(key, kLists);
  if (!value.starts_with('"')) return false;
  if (is_one_of(key, kAnywhere)) return true;
  if (place.top && (is_envelope(key) || is_one_of(key, kAtTop))) return true;
  if (place.choice && is_one_of(key, kInChoice)) return true;
  if (json::equals(key, "name")) return is_one_of(place.above, kTools);
  return is_one_of(key, kTellers) && is_one_of(value.substr(1, value.size() - 2), kWords);
}

bool is_envelope(std::string_view key) noexcept { return is_one_of(key, kEnvelope); }

}  // namespace penstock::policy
