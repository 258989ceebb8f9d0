#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "net/byte_stream.h"

namespace penstock::net {

// What a connection has received and nobody has taken yet, with at most one read outstanding.
//
// A read may be left standing while something else is awaited: it notices that the peer left, and
// when bytes come instead they are simply the next ones. So neither side ever cancels a read
// between two requests. Bytes keep their place in memory until discard() or consume() says
// otherwise, also while a read is standing.
class Input final : public IoWaiter {
 public:
  // What an idle connection holds. Three requests of 0.8 kB take turns in it without one that is
  // cut by the block's end, which would cost a second read.
  static constexpr std::size_t kSmall = 2560;
  static constexpr std::size_t kLarge = 65536;

  // What becomes of the bytes of a block that is given back, and of those moved within one.
  enum class Spent : std::uint8_t {
    kLeft,
    kWiped,  // clients' keys are among them
  };

  explicit Input(ByteStream& stream, Spent spent = Spent::kLeft) noexcept
      : stream_(stream), spent_(spent) {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  // The bytes received and not consumed. Valid until consume() or a fill() that must make room.
  [[nodiscard]] std::string_view bytes() const noexcept { return {at(begin_), end_ - begin_}; }
  void consume(std::size_t count) noexcept { begin_ += count; }
  // What is buffered now stays readable where it is, consumed or not, until release().
  // The next reads begin small again: what follows may be nothing for a long time.
  void pin() noexcept {
    if (!pinned_) pinned_begin_ = begin_;
    pinned_ = true;
    much_came_ = false;
    begin_small_ = true;
  }
  void release() noexcept {
    pinned_ = false;
    give_back(pinned_memory_, pinned_used_);
    limit_ = capacity_;
  }
  // Somebody read past this input, straight from the stream, and found its end.
  void ended(IoEnd end) noexcept { end_state_ = end; }
  // We gave up a read of ours, which says nothing about the peer: it may be read from again.
  void reopen() noexcept {
    if (end_state_ == IoEnd::kCancelled) end_state_ = IoEnd::kOk;
  }

  // Called (once) when a standing read ends, whatever its end: `peer_gone()` tells.
  using Notice = void (*)(void* context);
  // Starts a read if none is outstanding, and tells `notice` when it ends.
  void watch(Notice notice, void* context) noexcept;
  void unwatch() noexcept { notice_ = nullptr; }

  // How the peer's side ended; kOk while it is open.
  [[nodiscard]] IoEnd end() const noexcept { return end_state_; }
  [[nodiscard]] bool peer_gone() const noexcept { return end_state_ != IoEnd::kOk; }
  [[nodiscard]] bool reading() const noexcept { return reading_; }

  // Waits for at least one byte more. The result is kOk, or how the connection ended.
  class [[nodiscard]] Fill {
   public:
    explicit Fill(Input& input) noexcept : input_(input) {}
    [[nodiscard]] bool await_ready();
    void await_suspend(std::coroutine_handle<> caller) noexcept { input_.caller_ = caller; }
    [[nodiscard]] IoEnd await_resume() const noexcept { return input_.end_state_; }

   private:
    Input& input_;
  };
  [[nodiscard]] Fill fill() noexcept { return Fill(*this); }

  // Waits until no read is outstanding; the stream must have been cancelled.
  class [[nodiscard]] Settle {
   public:
    explicit Settle(Input& input) noexcept : input_(input) {}
    [[nodiscard]] bool await_ready() const noexcept { return !input_.reading_; }
    void await_suspend(std::coroutine_handle<> caller) noexcept { input_.caller_ = caller; }
    void await_resume() const noexcept {}

   private:
    Input& input_;
  };
  [[nodiscard]] Settle settle() noexcept { return Settle(*this); }

  // Gives memory back where nothing is buffered; an idle connection keeps at most kSmall.
  void shrink() noexcept;

  void complete(IoResult result) noexcept override;

 private:
  [[nodiscard]] char* at(std::size_t index) const noexcept { return memory_.get() + index; }
  // Whether pinned views look into this block.
  [[nodiscard]] bool pinned_here() const noexcept { return pinned_ && pinned_memory_ == nullptr; }
  void start();
  void make_room();
  void move_to(std::size_t capacity);
  void take(IoResult result) noexcept;
  void spend(char* bytes, std::size_t size) const noexcept;
  void give_back(std::unique_ptr<char[]>& block, std::size_t used) noexcept;

  ByteStream& stream_;
  const Spent spent_;
  std::unique_ptr<char[]> memory_;
  std::unique_ptr<char[]> pinned_memory_;  // an older block that views still look into
  std::size_t capacity_ = 0;
  std::size_t limit_ = 0;  // reads end here: at the capacity, or in front of what is pinned
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t used_ = 0;  // nothing was ever written from here on, in this block
  std::size_t pinned_used_ = 0;
  std::size_t pinned_begin_ = 0;
  std::size_t read_bytes_ = 0;  // the room of the read under way
  IoEnd end_state_ = IoEnd::kOk;
  bool reading_ = false;
  bool pinned_ = false;
  bool begin_small_ = false;  // since the last read was pinned
  bool much_came_ = false;    // the last read filled much room: a larger block pays
  std::coroutine_handle<> caller_;
  Notice notice_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace penstock::net
