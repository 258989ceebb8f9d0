#include "config/docs.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/field.h"
#include "base/field_type.h"
#include "config/table.h"
#include "config/value_text.h"

namespace penstock::config {
namespace {

constexpr std::string_view kIntroduction =
    "# Configuration keys\n\n"
    "Generated from the field tables in the source; do not edit. One YAML file, `version: 1`.\n"
    "Lengths of time and sizes need a unit (`ns us ms s m h d`, `B KiB MiB GiB`), percentages a\n"
    "`%`, rates a unit of time (`100/s`, `200k/min`, `6/h`). Secrets are references, `env:NAME` "
    "or\n"
    "`file:path`; a relative path starts at the folder of the config file.\n"
    "`penstock check -c FILE` prints every problem of a file.\n\n"
    "The last column says what a change needs: `live` keys may be changed in a running gateway\n"
    "(`PATCH /admin/v1/config`; a target's weight as `weights` of its model) or in the file,\n"
    "`reload` keys in the file: both take effect when it is read anew (`SIGHUP`, or\n"
    "`POST /admin/v1/reload`). `restart` keys are read at the start.\n";

// In a table a bar ends the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", cell(text));
}

// When a change takes effect; of a section its own rows tell.
std::string_view change_text(const Row& row) {
  const TypeInfo& inner = row.type->kind == Kind::kOptional ? *row.type->element : *row.type;
  if (inner.kind == Kind::kStruct || inner.kind == Kind::kNamed) return "";
  return name(row.reload);
}

class DocsWriter {
 public:
  void section(const std::string& title, const TypeInfo& type) {
    if (type.rows.empty() && type.later_keys.empty()) return;
    out_ += title.empty() ? "\n## Top level\n" : fmt::format("\n## {}\n", title);
    if (!type.shorthand.empty())
      out_ += fmt::format("\nA bare value stands for `{}`.\n", type.shorthand);
    if (!type.rows.empty()) table(type);
    later(type);
    for (const Row& row : type.rows)
      nested(title.empty() ? std::string(row.key) : fmt::format("{}.{}", title, row.key),
             *row.type);
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void table(const TypeInfo& type) {
    out_ += "\n| key | what | value | default | range | change |\n|---|---|---|---|---|---|\n";
    for (const Row& row : type.rows)
      out_ += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", row.key, cell(row.doc),
                          cell(value_kind(row)), default_text(type, row),
                          cell(range_text(*row.type, row.rule)), change_text(row));
  }

  void later(const TypeInfo& type) {
    if (type.later_keys.empty()) return;
    out_ += "\nKnown and refused, not in this version:";
    for (const std::string_view key : type.later_keys)
      out_ += fmt::format("{} `{}`", key == type.later_keys.front() ? "" : ",", key);
    out_ += ".\n";
  }

  void nested(const std::string& title, const TypeInfo& type) {
    if (type.kind == Kind::kStruct) return section(title, type);
    if (type.kind == Kind::kOptional) return nested(title, *type.element);
    if (type.kind == Kind::kList) return nested(title + "[]", *type.element);
    if (type.kind == Kind::kNamed) return nested(title + ".NAME", *type.element);
  }

  static std::string value_kind(const Row& row) {
    const std::string kind = type_text(*row.type);
    return row.rule.absent_word.empty() ? kind
                                        : fmt::format("{} or {}", kind, row.rule.absent_word);
  }

  static std::string default_text(const TypeInfo& owner, const Row& row) {
    if (row.rule.presence == Presence::kRequired) return "required";
    if (row.type->kind == Kind::kOptional) {
      const void* value = row.get(owner.defaults());
      if (row.type->size(value) == 0) return code(row.rule.absent_word);
      return code(value_text(*row.type->element, row.type->at(value, 0)));
    }
    if (!is_scalar(row.type->kind)) return "";
    return code(value_text(*row.type, row.get(owner.defaults())));
  }

  std::string out_{kIntroduction};
};

}  // namespace

std::string docs() {
  DocsWriter writer;
  writer.section("", config_type());
  return writer.take();
}

}  // namespace penstock::config
