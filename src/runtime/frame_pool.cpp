#include "runtime/frame_pool.h"

#include <array>
#include <cstddef>
#include <new>

namespace penstock::runtime {
namespace {

constexpr std::size_t kStep = 128;    // a class every 128 bytes
constexpr std::size_t kClasses = 24;  // up to 3 KiB
#if __has_feature(address_sanitizer)
constexpr std::size_t kKeptMax = 0;  // so that a frame used after its end is seen
#else
constexpr std::size_t kKeptMax = 64;  // frames kept per class and thread: at most 2.4 MiB in all
#endif

struct FreeFrame {
  FreeFrame* next;
};

struct FreeLists {
  std::array<FreeFrame*, kClasses> first{};
  std::array<std::size_t, kClasses> kept{};

  ~FreeLists() {
    for (FreeFrame*& list : first)
      while (list != nullptr) {
        FreeFrame* frame = list;
        list = frame->next;
        ::operator delete(frame);
      }
    kept.fill(kKeptMax);  // what is released after this goes to the heap
  }
};

thread_local FreeLists lists;

constexpr std::size_t size_class(std::size_t size) { return (size + kStep - 1) / kStep - 1; }

}  // namespace

void* FramePool::allocate(std::size_t size) {
  const std::size_t index = size_class(size);
  if (index >= kClasses) return ::operator new(size);
  FreeFrame* frame = lists.first[index];
  if (frame == nullptr) return ::operator new((index + 1) * kStep);
  lists.first[index] = frame->next;
  --lists.kept[index];
  return frame;
}

void FramePool::release(void* at, std::size_t size) noexcept {
  const std::size_t index = size_class(size);
  if (index >= kClasses || lists.kept[index] >= kKeptMax) {
    ::operator delete(at);
    return;
  }
  auto* frame = static_cast<FreeFrame*>(at);
  frame->next = lists.first[index];
  lists.first[index] = frame;
  ++lists.kept[index];
}

}  // namespace penstock::runtime
