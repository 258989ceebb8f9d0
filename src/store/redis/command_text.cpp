#include "store/redis/command_text.h"

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace penstock::store::redis {

void append_words(std::string& out, std::size_t count) {
  fmt::format_to(std::back_inserter(out), "*{}\r\n", count);
}

void append_word(std::string& out, std::string_view word) {
  fmt::format_to(std::back_inserter(out), "${}\r\n", word.size());
  out.append(word).append("\r\n");
}

void append_command(std::string& out, std::initializer_list<std::string_view> words) {
  append_words(out, words.size());
  for (const std::string_view word : words) append_word(out, word);
}

}  // namespace penstock::store::redis
