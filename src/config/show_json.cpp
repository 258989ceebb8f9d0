#include "config/show_json.h"

#include <string>

#include "base/field_type.h"
#include "config/load.h"
#include "config/values.h"
#include "json/writer.h"

namespace penstock::config {

std::string show_json(const LoadResult& loaded) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("file").string(loaded.file).key("values").begin_array();
  for (const Value& value : values(loaded.config)) {
    json.begin_object().key("path").string(value.path).key("value");
    if (!value.text)
      json.null();
    else if (value.kind == Kind::kCount || value.kind == Kind::kBool)
      json.raw(*value.text);
    else
      json.string(*value.text);
    json.key("origin").string(loaded.origins.text(value.path, loaded.file)).end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace penstock::config
