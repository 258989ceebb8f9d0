#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

// How commands are written: an array of texts with their lengths, in RESP2 and RESP3 alike.
namespace penstock::store::redis {

// Begins a command of so many words.
void append_words(std::string& out, std::size_t count);
// One word of it; any bytes.
void append_word(std::string& out, std::string_view word);
// A whole command.
void append_command(std::string& out, std::initializer_list<std::string_view> words);

}  // namespace penstock::store::redis
