#include <algorithm>
#include <cstddef>
#include <string_view>

#include "json/utf8.h"
#include "policy/byte_search.h"
#include "policy/finders.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

constexpr std::size_t kLocalMax = 64;    // RFC 5321 section 4.5.3.1.1
constexpr std::size_t kDomainMax = 255;  // section 4.5.3.1.2
constexpr std::size_t kLabelMax = 63;    // RFC 1035 section 2.3.4

// Letters beyond ASCII as RFC 6531 allows them, of the scripts that put spaces between words: all
// that UTF-8 writes with two bytes, from U+00C0 on. The lead byte tells.
constexpr bool leads_letter(int byte) noexcept { return byte >= 0xC3 && byte <= 0xDF; }

constexpr bool is_mark(char byte) noexcept {
  return byte == '.' || byte == '%' || byte == '+' || byte == '-' || byte == '\'';
}

// The bytes of the character of a local part that ends at `end`; 0 when it is none.
std::size_t local_character(std::string_view text, std::size_t from, std::size_t end) noexcept {
  if (end == from) return 0;
  const int last = static_cast<unsigned char>(text[end - 1]);
  if (is_alnum(last) || last == '_' || is_mark(text[end - 1])) return 1;
  const bool letter = end - from >= 2 && json::continues_character(text[end - 1]) &&
                      leads_letter(static_cast<unsigned char>(text[end - 2]));
  return letter ? 2 : 0;
}

// Where the local part that ends at `end` begins: `end` itself when there is none. A mark in front
// of it, such as a quote, is none of it.
std::size_t local_begin(std::string_view text, std::size_t from, std::size_t end) noexcept {
  const std::size_t first = end - std::min(end - from, kLocalMax);
  std::size_t begin = end;
  while (const std::size_t size = local_character(text, first, begin)) begin -= size;
  while (begin < end && is_mark(text[begin])) ++begin;
  return begin;
}

// Behind the letter or digit of a domain at `at`, or `at`.
std::size_t behind_word(Look& look, std::size_t at) noexcept {
  const int byte = look.at(at);
  if (is_alnum(byte)) return at + 1;
  if (!leads_letter(byte)) return at;
  return json::continues_character(static_cast<char>(look.at(at + 1))) ? at + 2 : at;
}

// Behind the domain that begins at `begin`, or `begin` when it is none: labels with dots between
// them, the last of them a word.
std::size_t domain_end(Look& look, std::size_t begin) noexcept {
  std::size_t good = begin;
  std::size_t at = begin;
  for (std::size_t labels = 1;; ++labels) {
    const std::size_t label = at;
    std::size_t end = at;  // behind its last letter or digit: a label ends in no hyphen
    while (true) {
      if (at - label > kLabelMax || at - begin > kDomainMax) return good;
      const std::size_t next = behind_word(look, at);
      if (next == at && (look.at(at) != '-' || at == label)) break;
      at = std::max(next, at + 1);
      if (next == at) end = at;
    }
    if (end == label) return good;
    if (labels > 1 && end - label >= 2 && !is_digit(look.at(label))) good = end;
    if (end != at || look.at(at) != '.') return good;
    ++at;
  }
}

}  // namespace

Found find_email(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  std::size_t floor = from;
  for (std::size_t at = find_byte(text, '@', from); at < text.size();
       at = find_byte(text, '@', at + 1)) {
    const std::size_t begin = local_begin(text, floor, at);
    floor = at + 1;
    if (begin == at) continue;
    Look look(window);
    const std::size_t end = domain_end(look, at + 1);
    if (look.beyond()) return Found::maybe(begin);
    if (end != at + 1) return Found::match(begin, end);
  }
  if (window.final) return {};
  const std::size_t known = std::max(whole_characters(text).size(), floor);
  const std::size_t begin = local_begin(text, floor, known);
  return begin == text.size() ? Found{} : Found::maybe(begin);
}

}  // namespace penstock::policy
