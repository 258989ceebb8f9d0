#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace penstock::policy {

// What becomes of a request that asks for more output than its workload may have.
enum class OutputOver : std::uint8_t { kRefuse, kClamp };

// What a request says of its output: the values as JSON writes them; empty: no such member.
struct OutputAsked {
  std::string_view max_tokens{};
  std::string_view max_completion_tokens{};
  std::string_view n{};        // choices of each prompt
  std::string_view best_of{};  // candidates made of each prompt, of which `n` are returned
  std::uint64_t prompts = 1;   // that are answered at once
};

// How a request's output is bounded.
struct OutputHold {
  std::uint64_t each = 0;      // no choice may have more tokens
  std::uint64_t unsaid = 0;    // what is said to a provider that reads none of the members given
  std::uint64_t total = 0;     // all choices together, as the request goes out
  std::string_view clamped{};  // the members that were lowered to `each`, as a header names them
};

// Holds what a request asks for to a workload's ceiling, which is for the whole request: n choices
// share it. Pure.
//
// errors: kInvalidRequest, `param` naming the member: over the ceiling where `over` refuses, or no
//         whole number of 1 or more in plain digits (null counts as not said), so that nothing goes
//         out that a provider could read as more than was judged. More choices than the ceiling
//         has tokens are refused either way.
[[nodiscard]] Result<OutputHold> hold_output(const OutputAsked& asked, std::uint64_t ceiling,
                                             OutputOver over);

}  // namespace penstock::policy
