#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "wire/header_list.h"

namespace penstock::lab {

// What a reply tells a client about asking again.
struct LoadAdvice {
  bool retry = false;
  std::optional<Duration> wait = {};  // as the reply names it

  // The wait before this retry, the first being 1: what was named, else 500 ms and twice that each
  // time, at most 8 s.
  [[nodiscard]] Duration wait_for(std::uint32_t retry_number) const noexcept;
};

// As the SDKs read it: `x-should-retry` decides; without it 408, 409, 429 and every 5xx are worth
// another try. The wait is `retry-after-ms`, else `retry-after` in seconds; one above 60 s counts
// as none.
// source: the retry rules of the OpenAI SDKs for Python and Node, as of 2026.
[[nodiscard]] LoadAdvice read_advice(int status, const wire::HeaderList& headers) noexcept;

}  // namespace penstock::lab
