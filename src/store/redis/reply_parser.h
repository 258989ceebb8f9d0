#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/value.h"

namespace penstock::store::redis {

// Reads replies, bytes in and values out, in any split. Takes RESP2 and RESP3; what the server
// pushes unasked and the attributes of values are read and left out. After kBroken it is dead.
// source: redis.io, "Redis serialization protocol specification", seen November 2026.
class ReplyParser {
 public:
  // Of one reply. Ours have a handful of numbers.
  static constexpr std::size_t kBytesMax = 65536;
  static constexpr std::size_t kValuesMax = 4096;
  static constexpr std::size_t kDepthMax = 8;
  static constexpr std::size_t kLineMax = 4096;

  enum class Step : std::uint8_t {
    kMore,    // all bytes are taken and the reply is not complete
    kReply,   // take() has it; bytes behind it are left
    kBroken,  // this is no reply, or one beyond the bounds
  };
  // Takes bytes off the front of `bytes`. cost: O(bytes taken).
  [[nodiscard]] Step next(std::string_view& bytes);
  // The reply; once, behind kReply.
  [[nodiscard]] Value take() noexcept { return std::move(whole_); }
  // Whether a reply has begun and is not complete: an end now cuts it.
  [[nodiscard]] bool within() const noexcept { return taken_ != 0; }

 private:
  enum class Role : std::uint8_t { kValue, kPush, kAttribute };
  struct Frame {
    Value value;
    std::size_t left = 0;
    Role role = Role::kValue;
  };

  [[nodiscard]] bool take_line(std::string_view& bytes);
  [[nodiscard]] bool take_text(std::string_view& bytes);
  [[nodiscard]] bool on_line();
  [[nodiscard]] bool on_scalar(char type, std::string_view rest);
  [[nodiscard]] bool begin_text(std::string_view rest, char type);
  [[nodiscard]] bool begin_list(std::string_view rest, std::size_t each, Role role);
  [[nodiscard]] bool end_text();
  [[nodiscard]] bool complete(Value value, Role role = Role::kValue);
  void take_off(std::string_view& bytes, std::size_t count) noexcept;

  std::vector<Frame> open_;               // lists begun, outermost first
  std::string part_;                      // the line or text under way
  std::optional<std::size_t> text_left_;  // of a text with a length, its line end included
  char text_type_ = '$';
  std::size_t taken_ = 0;   // bytes of the reply under way
  std::size_t values_ = 0;  // of it
  bool too_much_ = false;
  bool whole_there_ = false;
  Value whole_;
};

}  // namespace penstock::store::redis
