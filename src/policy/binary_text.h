#pragma once

#include <string_view>

namespace penstock::policy {

// Whether a string is an image, a sound, an embedding or a seal in base64. Nobody reads words in
// it, and a mask in it would destroy it. By its place (`data` of `audio`) or its own front
// (`data:image/png;base64,`), and by its shape: long, and nothing but base64. Whatever else stands
// in such a place is a text like others.
//
// key:    the name of the member it is the value of, as written.
// above:  the name of the member which holds that one's object.
// raw:    the string as written between the quotes.
[[nodiscard]] bool is_binary(std::string_view key, std::string_view above,
                             std::string_view raw) noexcept;

}  // namespace penstock::policy
