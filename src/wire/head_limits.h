#pragma once

#include <cstddef>

namespace penstock::wire {

// How much of a head is read before it is refused.
struct HeadLimits {
  std::size_t header_bytes = std::size_t{64} << 10;  // the whole head, its last line end included
  std::size_t target_bytes = std::size_t{8} << 10;   // requests only
  std::size_t fields = 256;                          // at most HeaderList::kFieldsMax
};

}  // namespace penstock::wire
