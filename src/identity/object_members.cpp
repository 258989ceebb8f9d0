#include "identity/object_members.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/reader.h"
#include "json/string.h"
#include "json/utf8.h"

namespace penstock::identity {

std::optional<ObjectMembers> ObjectMembers::read(std::string_view text) {
  ObjectMembers object;
  json::Reader reader(text);
  reader.enter_object();
  std::string_view key;
  while (reader.next_key(key)) {
    Member member{.name = json::unescape(key), .kind = reader.peek(), .value = {}};
    member.value = reader.skip_value();
    if (object.members_.size() == kMembersMax || object.find(member.name) != nullptr)
      return std::nullopt;
    object.members_.push_back(std::move(member));
  }
  if (!reader.finish() || !json::valid_utf8(text)) return std::nullopt;
  return object;
}

const ObjectMembers::Member* ObjectMembers::find(std::string_view name) const noexcept {
  const auto at = std::ranges::find(members_, name, &Member::name);
  return at == members_.end() ? nullptr : &*at;
}

std::optional<std::string> text_of(const ObjectMembers::Member& member) {
  if (member.kind != json::Kind::kString) return std::nullopt;
  return json::unescape(member.value.substr(1, member.value.size() - 2));
}

std::optional<std::string> text_of(const ObjectMembers& object, std::string_view name) {
  const ObjectMembers::Member* const member = object.find(name);
  return member != nullptr ? text_of(*member) : std::nullopt;
}

bool lists_text(const ObjectMembers::Member& member, std::string_view text) {
  json::Reader reader(member.value);
  bool found = false;
  reader.enter_array();
  while (reader.next_element()) found = json::equals(reader.read_string(), text) || found;
  return reader.finish() && found;
}

}  // namespace penstock::identity
