// rooms: json dialect policy
// Requests and replies edited in place: the result must be the same JSON but for the edit, by
// simdjson's reading, and every other byte must be where it was.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "dialect/openai/reply.h"
#include "dialect/openai/request.h"
#include "dialect/openai/ruled_members.h"
#include "dialect/surface.h"
#include "json/reader.h"
#include "json/splice.h"
#include "json/string.h"
#include "policy/output_rule.h"

namespace {

namespace json = penstock::json;
namespace openai = penstock::dialect::openai;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string joined(const json::Splice& splice) {
  std::string out;
  splice.append_to(out);
  require(out.size() == splice.size());
  return out;
}

// The members of the top level but the one named, one a line, as written.
std::string others(std::string_view text, std::string_view without) {
  std::string out;
  json::Reader reader(text);
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    const std::string_view value = reader.skip_value();
    if (json::equals(key, without)) continue;
    out += key;
    out += '\n';
    out += value;
    out += '\n';
  }
  require(reader.finish());
  return out;
}

// What rules impose: one document still, the message first, no limit said above the ceiling.
void check_imposed(const openai::RequestView& view) {
  constexpr std::uint64_t kCeiling = 100;
  const openai::RuledMembers& said = view.ruled;
  const penstock::policy::OutputAsked asked{.max_tokens = said.max_tokens,
                                            .max_completion_tokens = said.max_completion_tokens,
                                            .n = said.n,
                                            .best_of = said.best_of};
  const auto hold =
      penstock::policy::hold_output(asked, kCeiling, penstock::policy::OutputOver::kClamp);
  if (!hold || !said.twice.empty() || view.messages_at == 0) return;
  openai::UpstreamEdits edits{.model = view.model};
  edits.imposed = {.first_message = "{\"role\":\"system\"},",
                   .output_each = hold->each,
                   .output_unsaid = hold->unsaid};
  const std::string out = joined(openai::upstream_edits(view, edits));
  const auto again = openai::read_request(out, penstock::dialect::Surface::kChat);
  require(again.has_value());
  require(std::string_view(out).substr(again->messages_at).starts_with("{\"role\":\"system\"}"));
  const openai::RuledMembers& now = again->ruled;
  const auto held = penstock::policy::hold_output(
      {.max_tokens = now.max_tokens, .max_completion_tokens = now.max_completion_tokens},
      hold->each, penstock::policy::OutputOver::kRefuse);
  require(held.has_value());
  const auto number = [](std::string_view raw) { return !raw.empty() && raw != "null"; };
  require(number(now.max_tokens) || number(now.max_completion_tokens));
}

void check_request(std::string_view body, std::string_view model) {
  const auto view = openai::read_request(body, penstock::dialect::Surface::kChat);
  if (!view) return;
  require(json::valid(body));
  const std::string renamed = joined(openai::upstream_edits(*view, {.model = model}));
  const auto again = openai::read_request(renamed, penstock::dialect::Surface::kChat);
  require(again.has_value());
  std::string readable;  // what `model` is once it is UTF-8
  json::append_escaped(readable, model);
  require(again->model == json::unescape(readable));
  require(others(body, "model") == others(renamed, "model"));

  const std::string forced = joined(
      openai::upstream_edits(*view, {.model = view->model, .usage = openai::ForceUsage::kForce}));
  const auto asked = openai::read_request(forced, penstock::dialect::Surface::kChat);
  require(asked.has_value());
  require(asked->streamed() ? asked->wants_usage() : forced == body);
  require(asked->model == view->model);
  require(others(body, "stream_options") == others(forced, "stream_options"));

  check_imposed(*view);

  simdjson::dom::parser parser;
  const simdjson::padded_string before(body);
  const simdjson::padded_string after(forced);
  if (parser.parse(before).error() == simdjson::SUCCESS && asked->streamed()) {
    bool said = false;
    require(parser.parse(after)["stream_options"]["include_usage"].get(said) == simdjson::SUCCESS);
    require(said);
  }
}

void check_reply(std::string_view body, std::string_view model) {
  const openai::ReplyView view = openai::read_reply(body);
  const std::string stamped = joined(openai::restamp(view, model));
  if (!view.well_formed || !view.has_model) {
    require(stamped == body);
    return;
  }
  const openai::ReplyView again = openai::read_reply(stamped);
  require(again.well_formed && again.usage == view.usage);
  require(others(body, "model") == others(stamped, "model"));
  const std::size_t at = static_cast<std::size_t>(view.model_raw.data() - body.data());
  require(stamped.starts_with(body.substr(0, at)));
  require(stamped.ends_with(body.substr(at + view.model_raw.size())));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = data[0] % 16;
  const std::string_view model = text.substr(1, cut);
  const std::string_view body = text.substr(std::min(size, 1 + cut));
  check_request(body, model);
  check_reply(body, model);
  return 0;
}
