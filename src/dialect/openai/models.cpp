#include "dialect/openai/models.h"

#include <span>
#include <string>
#include <string_view>

#include "json/reader.h"
#include "json/string.h"
#include "json/writer.h"

namespace penstock::dialect::openai {
namespace {

void write(json::Writer& writer, const ModelRow& model) {
  writer.begin_object();
  writer.key("id").string(model.id);
  writer.key("object").string("model");
  writer.key("created").integer(model.created);
  writer.key("owned_by").string(model.owned_by);
  writer.end_object();
}

// Reads one element of `data`.
bool is_model(json::Reader& reader, std::string_view id) noexcept {
  if (reader.peek() != json::Kind::kObject) {
    reader.skip_value();
    return false;
  }
  bool found = false;
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    if (json::equals(key, "id") && reader.peek() == json::Kind::kString)
      found = json::equals(reader.read_string(), id);
    else
      reader.skip_value();
  }
  return found;
}

}  // namespace

bool lists_model(std::string_view body, std::string_view id) noexcept {
  json::Reader reader(body);
  bool found = false;
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    if (!json::equals(key, "data") || reader.peek() != json::Kind::kArray) {
      reader.skip_value();
      continue;
    }
    reader.enter_array();
    while (reader.next_element()) found = is_model(reader, id) || found;
  }
  return reader.finish() && found;
}

std::string models_body(std::span<const ModelRow> models) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object().key("object").string("list").key("data").begin_array();
  for (const ModelRow& model : models) write(writer, model);
  writer.end_array().end_object();
  return out;
}

std::string model_body(const ModelRow& model) {
  std::string out;
  json::Writer writer(out);
  write(writer, model);
  return out;
}

}  // namespace penstock::dialect::openai
