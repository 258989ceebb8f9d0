#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dialect/openai/ruled_members.h"
#include "dialect/surface.h"
#include "json/splice.h"

namespace penstock::dialect::openai {

// Whether the client said something about usage in its stream.
enum class UsageWish : std::uint8_t {
  kAbsent,  // no stream_options, or null
  kUnsaid,  // stream_options without include_usage
  kNull,    // include_usage: null
  kNo,
  kYes,
};

enum class StreamMode : std::uint8_t { kUnary, kStream };

// What the gateway reads of a request. The views point into the body that was read.
struct RequestView {
  std::string_view body;
  std::string model;           // unescaped
  std::string_view model_raw;  // as written, between its quotes
  StreamMode mode = StreamMode::kUnary;
  UsageWish usage = UsageWish::kAbsent;
  std::string_view
      stream_options;  // its value as written (an object or null); empty: no such member
  std::string_view include_usage;  // its value as written; empty: no such member
  bool has_messages = false;
  std::uint32_t choices = 1;   // `n` where it is a small whole number, else 1
  std::size_t members_at = 0;  // just behind the opening brace: a new top-level member may go here
  // Just behind the opening bracket of `messages`, where another may go; 0: it is no array.
  std::size_t messages_at = 0;
  bool messages_empty = true;
  RuledMembers ruled;

  [[nodiscard]] bool streamed() const noexcept { return mode == StreamMode::kStream; }
  // Whether the client is to see the provider's usage chunk.
  [[nodiscard]] bool wants_usage() const noexcept { return usage == UsageWish::kYes; }
};

// Reads a request of one of the surfaces that take a body, and checks the whole document.
//
// body:    must outlive the view.
// errors:  kInvalidJson when it is not one well-formed UTF-8 JSON document (nor deeper than
//          json::Reader::kDepthMax); kInvalidRequest with `param` when its top is no object, when
//          model, stream, stream_options or include_usage have a wrong type, or when one of these
//          or `messages` stands there twice, however it is spelled: what is judged here must be
//          what the provider reads.
// cost:    O(bytes); allocates only for a model name beyond 15 bytes.
[[nodiscard]] Result<RequestView> read_request(std::string_view body, Surface surface);

// Whether streams are made to tell their usage (a provider's `usage_in_stream`).
enum class ForceUsage : std::uint8_t { kLeave, kForce };

// Which member bounds the output of a request that names none (a provider's `output_limit`).
enum class OutputLimit : std::uint8_t {
  kMaxCompletionTokens,  // the provider reads both names
  kMaxTokens,            // it knows only this one
};

// What a caller's rules put into a request, whatever the client said.
struct Imposed {
  // A message as JSON with a comma behind it, put before all others; empty: none. The request then
  // has a `messages` array (RequestView::messages_at).
  std::string_view first_message{};
  // The most that the members which bound the output may say; nullopt: what the client says.
  std::optional<std::uint64_t> output_each{};
  std::uint64_t output_unsaid = 0;  // what is said where the provider reads none of those given
};

// The body for a provider: the model under its name there, a stream asked for usage, what rules
// impose; all other bytes as they were. Views all arguments.
struct UpstreamEdits {
  std::string_view model;
  ForceUsage usage = ForceUsage::kLeave;
  OutputLimit limit = OutputLimit::kMaxCompletionTokens;
  Surface surface = Surface::kChat;
  Imposed imposed{};
};
[[nodiscard]] json::Splice upstream_edits(const RequestView& request, const UpstreamEdits& edits);

}  // namespace penstock::dialect::openai
