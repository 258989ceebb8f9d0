#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "policy/byte_search.h"
#include "policy/finders.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

// --- Keys of APIs --------------------------------------------------------------------------------

struct Prefix {
  std::string_view text;
  std::size_t least;  // so many characters behind it make it a key
  Tail tail = Tail::kKeyChars;
};

// As their issuers document them, those with one first letter together. Every prefix holds one of
// `-`, `_`, `.` or begins with A: that is what is searched for.
constexpr auto kPrefixes = std::to_array<Prefix>({
    {"AKIA", 16},  // AWS access keys, long-lived
    {"ASIA", 16},  // and temporary
    {"AIza", 35},  // Google
    {"GOCSPX-", 16},
    {"SG.", 20, Tail::kDottedChars},  // SendGrid
    {"dop_v1_", 20},                  // DigitalOcean
    {"ghp_", 20},                     // GitHub, these and github_pat_
    {"gho_", 20},
    {"ghu_", 20},
    {"ghs_", 20},
    {"ghr_", 20},
    {"github_pat_", 20},
    {"glpat-", 16},  // GitLab
    {"gsk_", 20},    // Groq
    {"hf_", 20},     // Hugging Face
    {"npm_", 20},
    {"pypi-", 30},
    {"rk_live_", 16},  // Stripe, these, sk_… and whsec_
    {"rk_test_", 16},
    {"sk-", 16},  // OpenAI, Anthropic, OpenRouter, DeepSeek
    {"sk_live_", 16},
    {"sk_test_", 16},
    {"whsec_", 16},
    {"xoxa-", 10},  // Slack, these and xapp-
    {"xoxb-", 10},
    {"xoxe-", 10},
    {"xoxo-", 10},
    {"xoxp-", 10},
    {"xoxr-", 10},
    {"xoxs-", 10},
    {"xapp-", 10},
    {"xai-", 20},
    {"ya29.", 16, Tail::kDottedChars},  // Google
});
constexpr std::size_t kPrefixMax = 11;

// Those with one first letter.
struct Rows {
  std::uint8_t begin = 0;
  std::uint8_t end = 0;
};

// By first letter: most words are out by this.
constexpr std::array<Rows, 128> kRows = [] {
  std::array<Rows, 128> rows{};
  for (std::size_t i = 0; i < kPrefixes.size(); ++i) {
    Rows& row = rows[static_cast<unsigned char>(kPrefixes[i].text[0])];
    if (row.end == 0) row.begin = static_cast<std::uint8_t>(i);
    row.end = static_cast<std::uint8_t>(i + 1);
  }
  return rows;
}();

constexpr std::span<const Prefix> prefixes_with(char first) noexcept {
  const auto value = static_cast<unsigned char>(first);
  if (value >= kRows.size()) return {};
  return std::span(kPrefixes).subspan(kRows[value].begin, kRows[value].end - kRows[value].begin);
}

// Whether a key may begin there: `task-…` holds no `sk-`.
bool may_begin(const Window& window, std::size_t at) noexcept {
  return before(window, at) != '_' && !within_word(window, at);
}

Found key_with(const Window& window, std::size_t begin, const Prefix& prefix) noexcept {
  Look look(window);
  const std::size_t inside = begin + prefix.text.size();
  for (std::size_t i = 0; i < prefix.least; ++i) {
    if (is_key_char(look.at(inside + i), prefix.tail)) continue;
    return look.beyond() ? Found::maybe(begin) : Found{};
  }
  return Found::match(begin, inside + prefix.least, prefix.tail);
}

Found key_at(const Window& window, std::size_t begin) noexcept {
  const std::string_view rest = window.bytes.substr(begin);
  const std::span<const Prefix> prefixes = prefixes_with(rest.front());
  if (prefixes.empty() || !may_begin(window, begin)) return {};
  for (const Prefix& prefix : prefixes) {
    if (!rest.starts_with(prefix.text)) continue;
    const Found found = key_with(window, begin, prefix);
    if (found.what != Found::What::kNone) return found;
  }
  return {};
}

// A key whose prefix has `mark` as its first of the searched bytes.
Found key_around(const Window& window, std::size_t from, std::size_t mark) noexcept {
  const std::string_view text = window.bytes;
  if (text[mark] == 'A') return key_at(window, mark);
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (mark + 1 < text.size() && !is_key_char(byte(mark + 1), Tail::kDottedChars)) return {};
  const std::size_t first = std::max(from, mark - std::min(mark, kPrefixMax));
  std::size_t begin = mark;
  while (begin > first && is_alnum(byte(begin - 1))) --begin;
  Found found = key_at(window, begin);
  while (found.what == Found::What::kNone && ++begin < mark)
    if (behind_escape(window, begin)) found = key_at(window, begin);
  return found;
}

// Where the text ends within a prefix.
Found prefix_tail(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  if (window.final) return {};
  const std::size_t longest = std::min(text.size() - std::min(from, text.size()), kPrefixMax);
  for (std::size_t size = longest; size > 0; --size) {
    const std::string_view tail = text.substr(text.size() - size);
    const std::span<const Prefix> prefixes = prefixes_with(tail.front());
    if (prefixes.empty() || !may_begin(window, text.size() - size)) continue;
    const bool open = std::ranges::any_of(
        prefixes, [tail](const Prefix& prefix) { return prefix.text.starts_with(tail); });
    if (open) return Found::maybe(text.size() - size);
  }
  return {};
}

// --- Private keys --------------------------------------------------------------------------------

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kDashes = "-----";
constexpr std::string_view kKind = "PRIVATE KEY";
constexpr std::size_t kLabelMax = 40;  // RFC 7468 sets none; the longest in use has 26

// Behind the BEGIN line at `begin`, or `begin` when it is none of a private key.
std::size_t pem_line_end(Look& look, const Window& window, std::size_t begin) noexcept {
  const std::size_t label = begin + kBegin.size();
  std::size_t at = label;
  while (at - label <= kLabelMax &&
         (is_upper(look.at(at)) || is_digit(look.at(at)) || look.at(at) == ' '))
    ++at;
  for (std::size_t i = 0; i < kDashes.size(); ++i)
    if (look.at(at + i) != '-') return begin;
  const std::string_view words = window.bytes.substr(label, at - label);
  return words.find(kKind) == std::string_view::npos ? begin : at + kDashes.size();
}

}  // namespace

Found find_api_key(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  for (std::size_t mark = find_one_of(text, "-_A.", from); mark < text.size();
       mark = find_one_of(text, "-_A.", mark + 1)) {
    const Found found = key_around(window, from, mark);
    if (found.what != Found::What::kNone) return found;
  }
  return prefix_tail(window, from);
}

Found find_private_key(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  for (std::size_t begin = text.find(kBegin, from); begin != std::string_view::npos;
       begin = text.find(kBegin, begin + 1)) {
    Look look(window);
    const std::size_t end = pem_line_end(look, window, begin);
    if (look.beyond()) return Found::maybe(begin);
    if (end != begin) return Found::match(begin, end, Tail::kPem);
  }
  if (window.final) return {};
  const std::size_t longest =
      std::min(text.size() - std::min(from, text.size()), kBegin.size() - 1);
  for (std::size_t size = longest; size > 0; --size)
    if (text.ends_with(kBegin.substr(0, size))) return Found::maybe(text.size() - size);
  return {};
}

}  // namespace penstock::policy
