#include "dialect/openai/request.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "dialect/openai/members.h"
#include "dialect/openai/ruled_members.h"
#include "dialect/surface.h"
#include "json/reader.h"
#include "json/splice.h"
#include "json/string.h"
#include "json/utf8.h"

namespace penstock::dialect::openai {
namespace {

constexpr std::string_view kAskUsage = "\"include_usage\":true";
constexpr std::string_view kAskUsageFirst = "\"include_usage\":true,";
constexpr std::string_view kOptions = "{\"include_usage\":true}";
constexpr std::string_view kOptionsMember = "\"stream_options\":{\"include_usage\":true},";

// Reads a request in one pass. What is wrong with well-formed JSON is remembered, the first of it,
// and told only once the whole document has turned out to be one.
class RequestReader {
 public:
  RequestReader(std::string_view body, Surface surface) noexcept
      : reader_(body), surface_(surface) {
    view_.body = body;
  }

  Result<RequestView> read() {
    if (reader_.peek() != json::Kind::kObject) {
      reader_.skip_value();
      PENSTOCK_CHECK(check_document());
      return fail(ErrorCode::kInvalidRequest, "The body must be a JSON object.");
    }
    reader_.enter_object();
    view_.members_at = reader_.offset();
    std::string_view key;
    while (reader_.next_key(key)) read_member(key);
    PENSTOCK_CHECK(check_document());
    if (!has_model_) note("model", "must be given, as a string");
    view_.choices = choices_of(view_.ruled.n);
    if (wrong_member_.empty()) return std::move(view_);
    Error error(ErrorCode::kInvalidRequest, fmt::format("`{}` {}.", wrong_member_, wrong_));
    error.param = wrong_member_;
    return fail(std::move(error));
  }

 private:
  Result<void> check_document() {
    if (!reader_.finish())
      return fail(ErrorCode::kInvalidJson,
                  fmt::format("The body is not valid JSON, from byte {} on.", reader_.offset()));
    if (!json::valid_utf8(view_.body))
      return fail(ErrorCode::kInvalidJson, "The body is not valid UTF-8.");
    return {};
  }

  void read_member(std::string_view key) {
    if (json::equals(key, "model"))
      read_model();
    else if (json::equals(key, "stream"))
      read_stream();
    else if (json::equals(key, "stream_options"))
      read_options();
    else if (json::equals(key, "messages"))
      read_messages();
    else if (!ruled_.read(key, reader_))
      skip_unknown(key);
  }

  void skip_unknown(std::string_view key) {
    ruled_.unknown(key);
    reader_.skip_value();
  }

  void read_model() {
    once(has_model_, "model");
    const auto raw = read_text(reader_);
    if (!raw) return note("model", "must be a string");
    view_.model_raw = *raw;
    view_.model = json::unescape(*raw);
  }

  void read_stream() {
    once(has_stream_, "stream");
    const json::Kind kind = reader_.peek();
    reader_.skip_value();
    if (kind == json::Kind::kTrue && streams(surface_)) view_.mode = StreamMode::kStream;
    if (!is_flag(kind)) note("stream", "must be true or false");
  }

  void read_options() {
    once(has_options_, "stream_options");
    const json::Kind kind = reader_.peek();
    if (kind != json::Kind::kObject) {
      view_.stream_options = reader_.skip_value();
      if (kind != json::Kind::kNull) note("stream_options", "must be an object");
      return;
    }
    const std::size_t from = reader_.offset();
    view_.usage = UsageWish::kUnsaid;
    std::string_view key;
    reader_.enter_object();
    while (reader_.next_key(key)) {
      if (json::equals(key, "include_usage"))
        read_include_usage();
      else
        reader_.skip_value();
    }
    view_.stream_options = view_.body.substr(from, reader_.offset() - from);
  }

  void read_include_usage() {
    once(has_include_usage_, "stream_options.include_usage");
    const json::Kind kind = reader_.peek();
    view_.include_usage = reader_.skip_value();
    view_.usage = kind == json::Kind::kTrue    ? UsageWish::kYes
                  : kind == json::Kind::kFalse ? UsageWish::kNo
                                               : UsageWish::kNull;
    if (!is_flag(kind)) note("stream_options.include_usage", "must be true or false");
  }

  void read_messages() {
    once(view_.has_messages, "messages");
    if (reader_.peek() != json::Kind::kArray) {
      reader_.skip_value();
      return;
    }
    reader_.enter_array();
    view_.messages_at = reader_.offset();
    while (reader_.next_element()) {
      view_.messages_empty = false;
      reader_.skip_value();
    }
  }

  // `n`, as far as streams ask: how many choices will finish.
  [[nodiscard]] static std::uint32_t choices_of(std::string_view raw) noexcept {
    if (raw.empty()) return 1;
    json::Reader reader(raw);
    const auto count = read_count(reader);
    return count && *count >= 1 && *count <= 128 ? static_cast<std::uint32_t>(*count) : 1;
  }

  static bool is_flag(json::Kind kind) noexcept {
    return kind == json::Kind::kTrue || kind == json::Kind::kFalse || kind == json::Kind::kNull;
  }

  void once(bool& seen, std::string_view member) noexcept {
    if (seen) note(member, "must not be given twice");
    seen = true;
  }

  void note(std::string_view member, std::string_view what) noexcept {
    if (!wrong_member_.empty()) return;
    wrong_member_ = member;
    wrong_ = what;
  }

  json::Reader reader_;
  Surface surface_;
  RequestView view_;
  RuledReader ruled_{view_.ruled};
  bool has_model_ = false;
  bool has_stream_ = false;
  bool has_options_ = false;
  bool has_include_usage_ = false;
  std::string_view wrong_member_;
  std::string_view wrong_;
};

void force_usage(json::Splice& splice, const RequestView& request) {
  const std::string_view options = request.stream_options;
  const std::string_view said = request.include_usage;
  switch (request.usage) {
    case UsageWish::kYes: return;
    case UsageWish::kNo:
    case UsageWish::kNull:
      splice.add({.at = offset_in(request.body, said), .cut = said.size(), .put = "true"});
      return;
    case UsageWish::kUnsaid: {
      json::Reader inside(options);
      std::string_view key;
      inside.enter_object();
      const std::size_t at = offset_in(request.body, options) + inside.offset();
      splice.add({.at = at, .put = inside.next_key(key) ? kAskUsageFirst : kAskUsage});
      return;
    }
    case UsageWish::kAbsent:
      if (options.empty())  // a request always has a member for the comma to stand before
        splice.add({.at = request.members_at, .put = kOptionsMember});
      else  // null
        splice.add(
            {.at = offset_in(request.body, options), .cut = options.size(), .put = kOptions});
      return;
  }
}

// raw: plain digits. Not above 10^19, so that a few of them decide.
bool above(std::string_view raw, std::uint64_t most) noexcept {
  const std::string limit = std::to_string(most);
  return raw.size() != limit.size() ? raw.size() > limit.size() : raw > limit;
}

bool is_said(std::string_view raw) noexcept { return !raw.empty() && raw != "null"; }

// Lowers what is said, and says it where the provider would read nothing. The values are numbers in
// plain digits or null: whoever imposes this has looked.
void limit_output(json::Splice& splice, const RequestView& request, const UpstreamEdits& edits) {
  const std::string_view tokens = request.ruled.max_tokens;
  const std::string_view completion = request.ruled.max_completion_tokens;
  const std::uint64_t most = *edits.imposed.output_each;
  const bool both = edits.limit == OutputLimit::kMaxCompletionTokens &&
                    edits.surface == Surface::kChat;  // the newer name is chat's alone
  const bool heard = is_said(tokens) || (both && is_said(completion));
  const std::string_view name = both ? "max_completion_tokens" : "max_tokens";
  const std::string_view unsaid = both ? completion : tokens;  // absent or null, where it matters
  for (const std::string_view raw : {tokens, completion})
    if (is_said(raw) && above(raw, most))
      splice.add_owned(offset_in(request.body, raw), raw.size(), std::to_string(most));
  if (heard) return;
  if (unsaid.empty())
    splice.add_owned(request.members_at, 0,
                     fmt::format("\"{}\":{},", name, edits.imposed.output_unsaid));
  else  // null
    splice.add_owned(offset_in(request.body, unsaid), unsaid.size(),
                     std::to_string(edits.imposed.output_unsaid));
}

// message: with a comma behind it, for the message that follows.
void put_first(json::Splice& splice, const RequestView& request, std::string_view message) {
  if (request.messages_empty) message.remove_suffix(1);
  splice.add({.at = request.messages_at, .put = message});
}

}  // namespace

Result<RequestView> read_request(std::string_view body, Surface surface) {
  return RequestReader(body, surface).read();
}

json::Splice upstream_edits(const RequestView& request, const UpstreamEdits& edits) {
  json::Splice splice(request.body);
  if (request.model != edits.model) {
    const std::size_t at = offset_in(request.body, request.model_raw);
    const std::size_t cut = request.model_raw.size();
    if (json::is_plain(edits.model)) {
      splice.add({.at = at, .cut = cut, .put = edits.model});
    } else {
      std::string escaped;
      json::append_escaped(escaped, edits.model);
      splice.add_owned(at, cut, std::move(escaped));
    }
  }
  if (edits.usage == ForceUsage::kForce && request.streamed()) force_usage(splice, request);
  if (edits.imposed.output_each) limit_output(splice, request, edits);
  if (!edits.imposed.first_message.empty()) put_first(splice, request, edits.imposed.first_message);
  return splice;
}

}  // namespace penstock::dialect::openai
