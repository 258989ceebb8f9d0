#pragma once

#include <string_view>

namespace penstock::llm {

// Whether a `finish_reason` says that its choice goes on: "", and "null", which some engines write
// where they mean null. One rule for whoever relays a stream and whoever looks through it, so that
// the two never disagree on where a text ends.
//
// reason: the string as it is written between the quotes.
[[nodiscard]] constexpr bool goes_on(std::string_view reason) noexcept {
  return reason.empty() || reason == "null";
}

}  // namespace penstock::llm
