#pragma once

#include <cstddef>

#include "policy/window.h"

// Where each built-in kind of identifier begins and ends. What each takes for one is told in
// docs/reference/redaction.md, and as expressions in finders_test.cpp, the referee.
//
// from:    nothing before it is looked for; bytes before it are only context (kContextBytes).
// result:  see Found. What it says of a window stays true for every longer window.
// cost:    O(bytes) and far below it where nothing resembles one; no allocation, no state.
namespace penstock::policy {

// So many bytes before a place must be known, where the text has as many.
inline constexpr std::size_t kContextBytes = 6;  // an escape of JSON

[[nodiscard]] Found find_email(const Window& window, std::size_t from) noexcept;
[[nodiscard]] Found find_phone(const Window& window, std::size_t from) noexcept;
[[nodiscard]] Found find_card(const Window& window, std::size_t from) noexcept;
[[nodiscard]] Found find_iban(const Window& window, std::size_t from) noexcept;
[[nodiscard]] Found find_ssn(const Window& window, std::size_t from) noexcept;
[[nodiscard]] Found find_ipv4(const Window& window, std::size_t from) noexcept;
[[nodiscard]] Found find_ipv6(const Window& window, std::size_t from) noexcept;
[[nodiscard]] Found find_api_key(const Window& window, std::size_t from) noexcept;
[[nodiscard]] Found find_private_key(const Window& window, std::size_t from) noexcept;

}  // namespace penstock::policy
