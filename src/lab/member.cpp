#include "lab/member.h"

#include <string_view>

#include "json/reader.h"
#include "json/string.h"

namespace penstock::lab {

std::string_view member(std::string_view object, std::string_view name) {
  std::string_view found;
  json::Reader reader(object);
  if (reader.peek() != json::Kind::kObject) return found;
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    const std::string_view value = reader.skip_value();
    if (json::equals(key, name)) found = value;
  }
  return found;
}

std::string_view inside_quotes(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"') return {};
  return value.substr(1, value.size() - 2);
}

}  // namespace penstock::lab
