#include "dialect/openai/models.h"

#include <span>
#include <string>

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

}  // namespace

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
