#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "policy/byte_search.h"
#include "policy/finders.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

constexpr std::size_t kAddressMax = 45;  // with an IPv4 address in it: RFC 4291 section 2.2
constexpr std::size_t kGroups = 8;
constexpr std::size_t kGroupMax = 4;

bool is_inner(int byte) noexcept { return is_hex(byte) || byte == ':' || byte == '.'; }

// What follows an address in a sentence is none of it.
std::string_view trimmed(std::string_view token) noexcept {
  while (token.ends_with('.')) token.remove_suffix(1);
  if (token.ends_with(':') && (!token.ends_with("::") || token.ends_with(":::")))
    token.remove_suffix(1);
  return token;
}

bool is_ipv4(std::string_view text) noexcept {
  const Found found = find_ipv4({text, true}, 0);
  return found.what == Found::What::kMatch && found.begin == 0 && found.end == text.size();
}

// The groups of one side of `::`, or of the whole; nothing good when they are no groups. An IPv4
// address at the end counts as two.
enum class Side : std::uint8_t { kFirst, kLast };

struct Groups {
  std::size_t count = 0;
  bool good = true;
};

Groups groups_of(std::string_view text, Side side) noexcept {
  Groups groups;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, end);
    const bool at_end = end == text.size();
    if (group.find('.') != std::string_view::npos) {
      groups.good = groups.good && at_end && side == Side::kLast && is_ipv4(group);
      groups.count += 2;
    } else {
      groups.good = groups.good && !group.empty() && group.size() <= kGroupMax;
      ++groups.count;
    }
    if (at_end) break;
    text.remove_prefix(end + 1);
    if (text.empty()) groups.good = false;  // a single colon at the end
  }
  return groups;
}

// Words with colons, such as `add::face`, have no digit.
bool is_address(std::string_view token) noexcept {
  if (token.size() > kAddressMax || find_digit(token, 0) == token.size()) return false;
  const std::size_t gap = token.find("::");
  if (gap == std::string_view::npos) {
    const Groups all = groups_of(token, Side::kLast);
    return all.good && all.count == kGroups;
  }
  const Groups left = groups_of(token.substr(0, gap), Side::kFirst);
  const Groups right = groups_of(token.substr(gap + 2), Side::kLast);
  return left.good && right.good && left.count + right.count < kGroups;
}

// Where a group that ends at `end` begins, at or after `from`; npos when it is longer than one, or
// part of a word.
std::size_t group_begin(const Window& window, std::size_t from, std::size_t end) noexcept {
  std::size_t begin = end;
  while (begin > from && end - begin < kGroupMax &&
         is_hex(static_cast<unsigned char>(window.bytes[begin - 1])))
    --begin;
  const int left = before(window, begin);
  const bool token_goes_on =
      left == '.' && begin >= 2 && is_inner(static_cast<unsigned char>(window.bytes[begin - 2]));
  return within_word(window, begin) || left == ':' || token_goes_on ? std::string_view::npos
                                                                    : begin;
}

// Where it begins when its first bytes are the end of an escape: `\b1::2`; npos when none ends in
// it.
std::size_t escaped_begin(const Window& window, std::size_t from, std::size_t end) noexcept {
  const std::size_t first = std::max(from, end - std::min(end, kGroupMax));
  for (std::size_t begin = end;; --begin) {
    if (behind_escape(window, begin)) return begin;
    if (begin == first || !is_hex(static_cast<unsigned char>(window.bytes[begin - 1])))
      return std::string_view::npos;
  }
}

}  // namespace

Found find_ipv6(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  std::size_t colon = find_byte(text, ':', from);
  while (colon < text.size()) {
    std::size_t end = colon;
    Look look(window);
    while (end <= colon + kAddressMax && is_inner(look.at(end))) ++end;
    const bool goes_on = is_alnum(look.at(end));
    for (const std::size_t begin :
         {group_begin(window, from, colon), escaped_begin(window, from, colon)}) {
      if (begin == std::string_view::npos) continue;
      if (look.beyond()) return Found::maybe(begin);
      const std::string_view token = trimmed(text.substr(begin, end - begin));
      if (!goes_on && end - begin <= kAddressMax + 2 && is_address(token))
        return Found::match(begin, begin + token.size());
    }
    while (end < text.size() && is_inner(static_cast<unsigned char>(text[end]))) ++end;
    colon = find_byte(text, ':', end);
  }
  if (window.final) return {};
  const std::size_t begin =
      std::min(group_begin(window, from, text.size()), escaped_begin(window, from, text.size()));
  return begin >= text.size() ? Found{} : Found::maybe(begin);
}

}  // namespace penstock::policy
