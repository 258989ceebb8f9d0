#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/reader.h"

namespace penstock::identity {

// The members of one JSON object, for texts that decide who somebody is: a name that stands twice
// could be read in two ways, so such a text is none.
class ObjectMembers {
 public:
  static constexpr std::size_t kMembersMax = 128;

  struct Member {
    std::string name;  // what it means, escapes resolved
    json::Kind kind = json::Kind::kInvalid;
    std::string_view value;  // as written, quotes included
  };

  // nullopt unless the text is one well-formed object in UTF-8, with at most kMembersMax members of
  // different names and no more levels than json::Reader reads. Views point into the text.
  [[nodiscard]] static std::optional<ObjectMembers> read(std::string_view text);

  // Null when there is none of that name.
  [[nodiscard]] const Member* find(std::string_view name) const noexcept;

 private:
  std::vector<Member> members_;
};

// What a member's string means; nullopt for any other kind of value.
[[nodiscard]] std::optional<std::string> text_of(const ObjectMembers::Member& member);

// What the string of that name means; nullopt also when there is none.
[[nodiscard]] std::optional<std::string> text_of(const ObjectMembers& object,
                                                 std::string_view name);

// Whether a member is an array that holds this text.
[[nodiscard]] bool lists_text(const ObjectMembers::Member& member, std::string_view text);

}  // namespace penstock::identity
