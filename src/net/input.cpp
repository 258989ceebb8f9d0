#include "net/input.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/assert.h"
#include "base/wipe.h"
#include "net/byte_stream.h"

namespace penstock::net {
namespace {

constexpr std::size_t kRoomMin = Input::kSmall / 8;  // for less, no read is worth its call

}  // namespace

Input::~Input() {
  PENSTOCK_ASSERT(!reading_);
  give_back(pinned_memory_, pinned_used_);
  give_back(memory_, used_);
}

void Input::spend(char* bytes, std::size_t size) const noexcept {
  if (spent_ == Spent::kWiped) wipe(bytes, size);
}

void Input::give_back(std::unique_ptr<char[]>& block, std::size_t used) noexcept {
  if (block == nullptr) return;
  spend(block.get(), used);
  block.reset();
}

// Room for a read: behind what is held or in front of views that are pinned, whichever is more, so
// that requests that follow one another on a connection share one block; else by moving what is
// held to the front; else in another block. While views are pinned here that block stays as it is.
void Input::make_room() {
  const std::size_t held = end_ - begin_;
  if (held == 0 && !pinned_here()) begin_ = end_ = 0;
  const bool begin_small = std::exchange(begin_small_, false);
  if (begin_small && held == 0 && capacity_ > kSmall) return move_to(kSmall);
  const std::size_t wanted = much_came_ || held >= kSmall ? kLarge : kSmall;
  const std::size_t behind = limit_ - end_;
  const std::size_t front = pinned_here() && held == 0 && limit_ == capacity_ ? pinned_begin_ : 0;
  if (behind >= std::max(front, kRoomMin) && (capacity_ >= wanted || pinned_here())) return;
  if (front >= kRoomMin) {
    begin_ = end_ = 0;
    limit_ = pinned_begin_;
  } else if (!pinned_here() && capacity_ - held >= kRoomMin && capacity_ >= wanted) {
    std::memmove(memory_.get(), at(begin_), held);
    spend(at(std::max(held, begin_)), end_ - std::max(held, begin_));
    begin_ = 0;
    end_ = held;
  } else {
    move_to(std::max(wanted, held + held / 2 + kSmall / 2));
  }
}

// What is held goes to a block of its own.
void Input::move_to(std::size_t capacity) {
  const std::size_t held = end_ - begin_;
  std::unique_ptr<char[]> block(new char[capacity]);
  if (held != 0) std::memcpy(block.get(), at(begin_), held);
  if (pinned_here()) {
    pinned_memory_ = std::move(memory_);
    pinned_used_ = used_;
  }
  give_back(memory_, used_);
  memory_ = std::move(block);
  capacity_ = limit_ = capacity;
  begin_ = 0;
  end_ = used_ = held;
}

void Input::start() {
  PENSTOCK_ASSERT(!reading_ && end_state_ == IoEnd::kOk);
  make_room();
  reading_ = true;
  const std::span<char> room(at(end_), limit_ - end_);
  read_bytes_ = room.size();
  if (const std::optional<IoResult> now = stream_.start_read(room, *this)) {
    reading_ = false;
    take(*now);
  }
}

void Input::take(IoResult result) noexcept {
  if (result.end == IoEnd::kOk) {
    end_ += result.bytes;
    used_ = std::max(used_, end_);
    much_came_ = result.bytes == read_bytes_ && read_bytes_ >= kSmall / 2;
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
  give_back(memory_, used_);
  capacity_ = limit_ = begin_ = end_ = used_ = 0;
  much_came_ = false;
}

}  // namespace penstock::net
