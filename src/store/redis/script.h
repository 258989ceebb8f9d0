#pragma once

#include <string>
#include <string_view>

namespace penstock::store::redis {

// A Lua script that the store runs, and the name that the store knows it by.
//
// The body finds KEYS and ARGV as its caller gave them, and a local `id`, unique to this call,
// which must be the first thing that it returns:
//
//   return {id, taken, left}
//
// That is how a reply that belongs to another call is noticed (source: reliability.md R67). Numbers
// come back as whole numbers, `false` as nil; a nil inside the list would end it.
//
// A body runs all or not at all: out of memory, on a replica or while a disk fails it is refused
// before its first line. A runtime error in its middle does leave what was written by then.
class Script {
 public:
  // body: Lua without the prelude that takes `id` off ARGV; see the class.
  explicit Script(std::string_view body);

  // The text that is sent: prelude and body.
  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  // SHA-1 of the source, 40 lower-case hex digits: what EVALSHA takes.
  [[nodiscard]] const std::string& sha() const noexcept { return sha_; }

 private:
  std::string source_;
  std::string sha_;
};

}  // namespace penstock::store::redis
