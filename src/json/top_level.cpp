#include "json/top_level.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace penstock::json {
namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;
constexpr std::uint64_t kCaseBit = 0x20;  // tells [ from { and ] from }, and nothing else from them

// The high bit of every byte of `word` that is `byte`. Above the first such byte there may be
// false ones, since the subtraction borrows: only the lowest counts.
constexpr std::uint64_t is_byte(std::uint64_t word, char byte) noexcept {
  const std::uint64_t other = word ^ (kEachByte * static_cast<unsigned char>(byte));
  return (other - kEachByte) & ~other & (kEachByte * 0x80);
}

// What ends a run of plain bytes within a string: the quote and the backslash.
struct StringEnd {
  static constexpr std::uint64_t in(std::uint64_t word) noexcept {
    return is_byte(word, '"') | is_byte(word, '\\');
  }
  static constexpr bool is(char byte) noexcept { return byte == '"' || byte == '\\'; }
};

// What matters outside of strings: quotes and brackets. Numbers, words, commas and white space do
// not.
struct Structure {
  static constexpr std::uint64_t in(std::uint64_t word) noexcept {
    const std::uint64_t folded = word | kEachByte * kCaseBit;
    return is_byte(word, '"') | is_byte(folded, '{') | is_byte(folded, '}');
  }
  static constexpr bool is(char byte) noexcept {
    return byte == '"' || byte == '{' || byte == '}' || byte == '[' || byte == ']';
  }
};

// The first byte of the kind sought, or `end`.
template <class Sought>
const char* find(const char* at, const char* end) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t found = Sought::in(word);
      if (found != 0) return at + std::countr_zero(found) / 8;
      at += 8;
    }
  }
  while (at != end && !Sought::is(*at)) ++at;
  return at;
}

constexpr bool is_space(char byte) noexcept {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// Whether a number or a word could hold it.
constexpr bool is_scalar(char byte) noexcept {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == 'E' ||
         byte == '-' || byte == '+' || byte == '.';
}

}  // namespace

bool TopLevel::between() const noexcept {
  return state_ != State::kInKey && state_ != State::kInValue && state_ != State::kInScalar;
}

// The state that `byte`, no white space, leads to from one between members.
TopLevel::State TopLevel::after(char byte) const noexcept {
  switch (state_) {
    case State::kStart: return byte == '{' ? State::kFirstKey : State::kBroken;
    case State::kFirstKey:
      if (byte == '}') return State::kClosed;
      [[fallthrough]];
    case State::kKey: return byte == '"' ? State::kInKey : State::kBroken;
    case State::kColon: return byte == ':' ? State::kValue : State::kBroken;
    case State::kValue:
      if (byte == '"' || byte == '{' || byte == '[') return State::kInValue;
      return is_scalar(byte) ? State::kInScalar : State::kBroken;
    case State::kComma:
      if (byte == '}') return State::kClosed;
      return byte == ',' ? State::kKey : State::kBroken;
    case State::kInKey:
    case State::kInValue:
    case State::kInScalar:
    case State::kClosed:
    case State::kBroken: break;
  }
  return state_;
}

// Up to the first byte of a key or value.
const char* TopLevel::skip_between(const char* at, const char* end) noexcept {
  for (; at != end; ++at) {
    if (state_ == State::kClosed || state_ == State::kBroken) return end;
    if (is_space(*at)) continue;
    state_ = after(*at);
    if (!between()) return at;
  }
  return at;
}

// Over a string or a container, from its first byte or from wherever it was interrupted.
const char* TopLevel::skip_enclosed(const char* at, const char* end, bool& ends) noexcept {
  while (at != end) {
    if (escaped_) {
      escaped_ = false;
      ++at;
      continue;
    }
    at = in_string_ ? find<StringEnd>(at, end) : find<Structure>(at, end);
    if (at == end) return at;
    const char byte = *at++;
    if (byte == '\\') {
      escaped_ = true;
      continue;
    }
    if (byte == '"') {
      in_string_ = !in_string_;
    } else if (byte == '{' || byte == '[') {
      ++depth_;
    } else {
      --depth_;
    }
    ends = depth_ == 0 && !in_string_;
    if (ends) return at;
  }
  return at;
}

TopLevel::Run TopLevel::next(std::string_view& rest) noexcept {
  const char* const from = rest.data();
  const char* const end = from + rest.size();
  const char* at = from;
  Run run;
  if (between()) at = skip_between(at, end);
  if (at == from) {
    if (state_ == State::kInScalar) {
      while (at != end && is_scalar(*at)) ++at;
      run.ends = at != end;
    } else {
      at = skip_enclosed(at, end, run.ends);
    }
    run.part = state_ == State::kInKey ? Part::kKey : Part::kValue;
    if (run.ends) state_ = run.part == Part::kKey ? State::kColon : State::kComma;
  }
  run.bytes = rest.substr(0, static_cast<std::size_t>(at - from));
  rest.remove_prefix(run.bytes.size());
  return run;
}

}  // namespace penstock::json
