#pragma once

#include <string_view>

namespace penstock::policy {

// Where in an event a member stands.
struct MemberPlace {
  bool top = false;             // in the event itself
  bool choice = false;          // in one of the reply's choices
  std::string_view above = {};  // the name of the member that holds its object, as written
};

// Whether the strings of a member are whole in each event: ids, roles, types, names of tools, what
// the reply says of itself, why a choice ended, lists of links. Whatever is not listed is taken for
// a text in pieces, so that a name nobody thought of cannot let an identifier through by halves.
//
// key:    as written.
// value:  the value as written, with its quotes; of an object or array its first byte will do.
[[nodiscard]] bool is_whole(std::string_view key, std::string_view value,
                            const MemberPlace& place) noexcept;

// Whether it is one of those that an event made for held text repeats: clients look for them.
[[nodiscard]] bool is_envelope(std::string_view key) noexcept;

}  // namespace penstock::policy
