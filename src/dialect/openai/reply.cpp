#include "dialect/openai/reply.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "dialect/openai/members.h"
#include "json/reader.h"
#include "json/splice.h"
#include "json/string.h"

namespace penstock::dialect::openai {
namespace {

bool read_choices(json::Reader& reader) noexcept {
  if (reader.peek() != json::Kind::kArray) {
    reader.skip_value();
    return false;
  }
  bool finish = false;
  reader.enter_array();
  while (reader.next_element()) {
    if (reader.peek() != json::Kind::kObject) {
      reader.skip_value();
      continue;
    }
    std::string_view key;
    reader.enter_object();
    while (reader.next_key(key)) {
      if (json::equals(key, "finish_reason"))
        finish |= read_finish(reader) != Finish::kOpen;
      else
        reader.skip_value();
    }
  }
  return finish;
}

}  // namespace

ReplyView read_reply(std::string_view body) noexcept {
  ReplyView view{.body = body};
  json::Reader reader(body);
  if (!reader.enter_object()) return view;
  std::string_view key;
  while (reader.next_key(key)) {
    if (json::equals(key, "model")) {
      const auto raw = read_text(reader);
      view.has_model = raw.has_value();
      view.model_raw = raw.value_or(std::string_view());
    } else if (json::equals(key, "usage")) {
      view.usage = read_usage(reader);
    } else if (json::equals(key, "choices")) {
      view.has_finish = read_choices(reader);
    } else if (json::equals(key, "error")) {
      view.has_error = read_truthy(reader);
    } else {
      reader.skip_value();
    }
  }
  if (!reader.finish()) return {.body = body};
  view.well_formed = true;
  return view;
}

json::Splice restamp(const ReplyView& reply, std::string_view public_model) {
  json::Splice splice(reply.body);
  if (!reply.has_model || json::equals(reply.model_raw, public_model)) return splice;
  const std::size_t at = offset_in(reply.body, reply.model_raw);
  if (json::is_plain(public_model)) {
    splice.add({.at = at, .cut = reply.model_raw.size(), .put = public_model});
  } else {
    std::string escaped;
    json::append_escaped(escaped, public_model);
    splice.add_owned(at, reply.model_raw.size(), std::move(escaped));
  }
  return splice;
}

}  // namespace penstock::dialect::openai
