#include "config/schema.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/field.h"
#include "base/field_type.h"
#include "config/table.h"
#include "config/value_text.h"
#include "json/writer.h"

namespace penstock::config {
namespace {

std::string_view pattern_of(Kind kind) {
  switch (kind) {
    case Kind::kDuration: return "^[0-9]+(ns|us|ms|s|m|h|d)$";
    case Kind::kBytes: return "^[0-9]+(B|KiB|MiB|GiB)$";
    case Kind::kRatio: return "^[0-9]+(\\.[0-9]{1,4})?%$";
    case Kind::kPerTime: return "^[0-9]+[kM]?/(s|min|h)$";
    case Kind::kTime: return "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";
    case Kind::kSecret: return "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$";
    case Kind::kBool:
    case Kind::kCount:
    case Kind::kEnum:
    case Kind::kText:
    case Kind::kOptional:
    case Kind::kList:
    case Kind::kNamed:
    case Kind::kStruct: break;
  }
  return "";
}

class SchemaWriter {
 public:
  explicit SchemaWriter(std::string& out) : json_(out) {}

  void document() {
    json_.begin_object();
    json_.key("$schema").string("https://json-schema.org/draft/2020-12/schema");
    json_.key("title").string("Penstock configuration");
    structure(config_type());
    json_.end_object();
  }

 private:
  // The members of the schema object of a type; the braces are the caller's.
  void members(const TypeInfo& type, const Rule& rule) {
    switch (type.kind) {
      case Kind::kBool: json_.key("type").string("boolean"); return;
      case Kind::kCount:
        json_.key("type").string("integer");
        json_.key("minimum").integer(std::max<std::int64_t>(rule.low, 0));
        json_.key("maximum").integer(std::min(rule.high, type.number_max));
        return;
      case Kind::kEnum:
        json_.key("enum").begin_array();
        for (const EnumName<std::int64_t>& word : type.words) json_.string(word.word);
        json_.end_array();
        return;
      case Kind::kDuration:
      case Kind::kBytes:
      case Kind::kRatio:
      case Kind::kPerTime:
      case Kind::kTime:
      case Kind::kSecret: return text(pattern_of(type.kind));
      case Kind::kText: return text(rule.pattern);
      case Kind::kOptional: return optional(type, rule);
      case Kind::kList:
        json_.key("type").string("array");
        json_.key("items");
        object(*type.element, rule);
        return;
      case Kind::kNamed: return named(type, rule);
      case Kind::kStruct: return structure_or_shorthand(type);
    }
  }

  void object(const TypeInfo& type, const Rule& rule) {
    json_.begin_object();
    members(type, rule);
    json_.end_object();
  }

  void text(std::string_view pattern) {
    json_.key("type").string("string");
    if (!pattern.empty()) json_.key("pattern").string(pattern);
  }

  void optional(const TypeInfo& type, const Rule& rule) {
    if (rule.absent_word.empty()) return members(*type.element, rule);
    json_.key("anyOf").begin_array();
    json_.begin_object().key("const").string(rule.absent_word).end_object();
    object(*type.element, rule);
    json_.end_array();
  }

  void named(const TypeInfo& type, const Rule& rule) {
    json_.key("type").string("object");
    if (!rule.pattern.empty())
      json_.key("propertyNames").begin_object().key("pattern").string(rule.pattern).end_object();
    json_.key("additionalProperties");
    object(*type.element, any());
  }

  void structure_or_shorthand(const TypeInfo& type) {
    if (type.shorthand.empty()) return structure(type);
    json_.key("anyOf").begin_array();
    const auto row = std::ranges::find(type.rows, type.shorthand, &Row::key);
    object(*row->type, row->rule);
    json_.begin_object();
    structure(type);
    json_.end_object().end_array();
  }

  void structure(const TypeInfo& type) {
    json_.key("type").string("object");
    json_.key("additionalProperties").boolean(false);
    json_.key("properties").begin_object();
    for (const Row& row : type.rows) {
      json_.key(row.key).begin_object();
      json_.key("description").string(row.doc);
      default_value(type, row);
      members(*row.type, row.rule);
      json_.end_object();
    }
    json_.end_object();
    if (std::ranges::none_of(type.rows, is_required)) return;
    json_.key("required").begin_array();
    for (const Row& row : type.rows)
      if (is_required(row)) json_.string(row.key);
    json_.end_array();
  }

  static bool is_required(const Row& row) { return row.rule.presence == Presence::kRequired; }

  void default_value(const TypeInfo& owner, const Row& row) {
    if (is_required(row) || !is_scalar(row.type->kind)) return;
    const void* value = row.get(owner.defaults());
    const std::string text = value_text(*row.type, value);
    if (text.empty()) return;
    json_.key("default");
    if (row.type->kind == Kind::kCount)
      json_.integer(row.type->number(value));
    else if (row.type->kind == Kind::kBool)
      json_.boolean(row.type->number(value) != 0);
    else
      json_.string(text);
  }

  json::Writer json_;
};

}  // namespace

std::string schema() {
  std::string out;
  SchemaWriter(out).document();
  out += '\n';
  return out;
}

}  // namespace penstock::config
