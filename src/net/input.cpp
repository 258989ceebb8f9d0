#include "net/input.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/assert.h"
#include "net/byte_stream.h"

namespace penstock::net {

Input::~Input() { PENSTOCK_ASSERT(!reading_); }

// Room for a read: at the end, else by moving the unconsumed bytes to the front, else in a larger
// block. While views are pinned the old block stays as it is and the bytes move to a new one.
void Input::make_room() {
  const std::size_t held = end_ - begin_;
  const bool pinned_here = pinned_ && pinned_memory_ == nullptr;
  if (held == 0 && !pinned_here) begin_ = end_ = 0;
  const std::size_t wanted = filled_last_ || held >= kSmall ? kLarge : kSmall;
  if (capacity_ - end_ >= kSmall / 8 && (capacity_ >= wanted || pinned_here)) return;
  if (!pinned_here && capacity_ - held >= kSmall / 8 && capacity_ >= wanted) {
    std::memmove(memory_.get(), at(begin_), held);
    begin_ = 0;
    end_ = held;
    return;
  }
  const std::size_t capacity = std::max(wanted, held + held / 2 + kSmall / 2);
  std::unique_ptr<char[]> larger(new char[capacity]);
  if (held != 0) std::memcpy(larger.get(), at(begin_), held);
  if (pinned_here) pinned_memory_ = std::move(memory_);
  memory_ = std::move(larger);
  capacity_ = capacity;
  begin_ = 0;
  end_ = held;
}

void Input::start() {
  PENSTOCK_ASSERT(!reading_ && end_state_ == IoEnd::kOk);
  make_room();
  reading_ = true;
  const std::span<char> room(at(end_), capacity_ - end_);
  if (const std::optional<IoResult> now = stream_.start_read(room, *this)) {
    reading_ = false;
    take(*now);
  }
}

void Input::take(IoResult result) noexcept {
  if (result.end == IoEnd::kOk) {
    end_ += result.bytes;
    filled_last_ = end_ == capacity_;
  } else {
    end_state_ = result.end;
  }
}

void Input::complete(IoResult result) noexcept {
  reading_ = false;
  take(result);
  if (caller_) {
    notice_ = nullptr;
    std::exchange(caller_, {}).resume();
  } else if (notice_ != nullptr) {
    std::exchange(notice_, nullptr)(context_);
  }
}

void Input::watch(Notice notice, void* context) noexcept {
  notice_ = notice;
  context_ = context;
  if (!reading_ && !peer_gone()) start();
  if (!reading_) std::exchange(notice_, nullptr)(context_);
}

bool Input::Fill::await_ready() {
  input_.notice_ = nullptr;
  if (input_.peer_gone()) return true;
  if (!input_.reading_) input_.start();
  return !input_.reading_;
}

void Input::shrink() noexcept {
  if (reading_ || pinned_ || begin_ != end_ || capacity_ <= kSmall) return;
  memory_.reset();
  capacity_ = begin_ = end_ = 0;
  filled_last_ = false;
}

}  // namespace penstock::net
