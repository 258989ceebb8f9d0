#include "config/show.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/field.h"
#include "base/field_type.h"
#include "config/load.h"
#include "config/path.h"
#include "config/table.h"
#include "config/value_text.h"

namespace penstock::config {
namespace {

constexpr int kIndentStep = 2;

bool is_plain_safe(std::string_view text) {
  if (text.empty() || text == "null" || text == "Null" || text == "NULL") return false;
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto inner = [word](char c) {
    return word(c) || std::string_view("_./:@%+-").find(c) != std::string_view::npos;
  };
  return (word(text.front()) || text.front() == '/') && text.back() != ':' &&
         std::ranges::all_of(text, inner);
}

// A text as a YAML scalar: as it is where that is safe, else in double quotes.
std::string yaml_scalar(std::string_view text) {
  if (is_plain_safe(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + '"';
}

class Shower {
 public:
  explicit Shower(const LoadResult& loaded) : origins_(loaded.origins), file_(loaded.file) {}

  // The rows of a section, one line or more each.
  void section(const TypeInfo& type, const void* value, const std::string& path, int indent) {
    for (const Row& row : type.rows)
      entry(row.key, *row.type, row.rule, row.get(value), path_of(path, row.key), indent);
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void entry(std::string_view key, const TypeInfo& type, const Rule& rule, const void* value,
             const std::string& path, int indent) {
    if (is_scalar(type.kind)) {
      const std::string text = value_text(type, value);
      if (text.empty() && type.text != nullptr) return unset(key, path, indent);
      return line(key, yaml_scalar(text), path, indent);
    }
    if (type.kind == Kind::kStruct) {
      if (type.rows.empty()) return line(key, "{}", path, indent);
      line(key, "", path, indent);
      return section(type, value, path, indent + kIndentStep);
    }
    if (type.kind == Kind::kOptional) {
      if (type.size(value) != 0)
        return entry(key, *type.element, rule, type.at(value, 0), path, indent);
      if (rule.absent_word.empty()) return unset(key, path, indent);
      return line(key, rule.absent_word, path, indent);
    }
    collection(key, type, rule, value, path, indent);
  }

  void collection(std::string_view key, const TypeInfo& type, const Rule& rule, const void* value,
                  const std::string& path, int indent) {
    const bool named = type.kind == Kind::kNamed;
    const std::size_t size = type.size(value);
    if (size == 0) return line(key, named ? "{}" : "[]", path, indent);
    line(key, "", path, indent);
    for (std::size_t i = 0; i < size; ++i) {
      if (named)
        entry(yaml_scalar(type.name_at(value, i)), *type.element, rule, type.at(value, i),
              path_of(path, type.name_at(value, i)), indent + kIndentStep);
      else
        item(*type.element, type.at(value, i), path_of(path, i), indent + kIndentStep);
    }
  }

  void item(const TypeInfo& type, const void* value, const std::string& path, int indent) {
    const std::size_t start = out_.size();
    if (is_scalar(type.kind)) {
      out_ += fmt::format("{:{}}- {}  # {}\n", "", indent, yaml_scalar(value_text(type, value)),
                          origin(path));
      return;
    }
    section(type, value, path, indent + kIndentStep);
    out_[start + static_cast<std::size_t>(indent)] = '-';
  }

  void line(std::string_view key, std::string_view text, const std::string& path, int indent) {
    out_ += fmt::format("{:{}}{}:", "", indent, key);
    if (!text.empty()) out_ += fmt::format(" {}", text);
    out_ += fmt::format("  # {}\n", origin(path));
  }

  void unset(std::string_view key, const std::string& path, int indent) {
    out_ += fmt::format("{:{}}# {}: not set  # {}\n", "", indent, key, origin(path));
  }

  [[nodiscard]] std::string origin(const std::string& path) const {
    return origins_.text(path, file_);
  }

  const Origins& origins_;
  std::string_view file_;
  std::string out_;
};

}  // namespace

std::string show(const LoadResult& loaded) {
  Shower shower(loaded);
  shower.section(config_type(), &loaded.config, "", 0);
  return shower.take();
}

}  // namespace penstock::config
