#pragma once

#include <cstddef>

namespace penstock::runtime {

// Memory for coroutine frames: per-thread free lists by size class, each bounded. A frame is
// allocated and released on the thread it runs on, so no lock is needed. Frames above the largest
// class go to the heap.
class FramePool {
 public:
  [[nodiscard]] static void* allocate(std::size_t size);
  static void release(void* at, std::size_t size) noexcept;
};

}  // namespace penstock::runtime
