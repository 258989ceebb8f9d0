#include "policy/expression.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "json/utf8.h"

namespace penstock::policy {
namespace {

constexpr std::size_t kCharacterMax = 4;   // bytes of one in UTF-8
constexpr std::size_t kFoldedWordMax = 3;  // of \w without case: U+212A, the Kelvin sign, is a k
constexpr std::size_t kRepeatMax = 1000;   // RE2's own bound
constexpr std::size_t kDepthMax = 16;      // groups within groups
constexpr std::size_t kBeginningsMax = 16384;  // bytes of the expression that is made of this one

// One piece of an expression: what it matches, without assertions, and the beginnings of that.
struct Piece {
  std::string full;
  std::string beginnings;
  std::size_t min = 0;
  std::size_t max = 0;
};

std::unexpected<Error> wrong(std::string_view what) {
  return fail(ErrorCode::kInvalidRequest, std::string(what));
}

class Parser {
 public:
  Parser(std::string_view text, std::size_t word_max) : text_(text), word_max_(word_max) {}

  Result<Piece> read() {
    PENSTOCK_TRY(Piece all, alternatives(0));
    if (at_ != text_.size()) return wrong("has a ) without its (");
    return all;
  }

 private:
  [[nodiscard]] bool more() const { return at_ < text_.size(); }
  [[nodiscard]] char peek() const { return text_[at_]; }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Result<Piece> alternatives(std::size_t depth) {
    if (depth > kDepthMax) return wrong("has too many groups within groups");
    PENSTOCK_TRY(Piece all, sequence(depth));
    while (take("|")) {
      PENSTOCK_TRY(Piece next, sequence(depth));
      all.full += "|" + next.full;
      all.beginnings += "|" + next.beginnings;
      all.min = std::min(all.min, next.min);
      all.max = std::max(all.max, next.max);
    }
    all.full = "(?:" + all.full + ")";
    all.beginnings = "(?:" + all.beginnings + ")";
    return all;
  }

  Result<Piece> sequence(std::size_t depth) {
    std::vector<Piece> pieces;
    while (more() && peek() != '|' && peek() != ')') {
      PENSTOCK_TRY(Piece piece, atom(depth));
      PENSTOCK_TRY(piece, repeated(std::move(piece)));
      pieces.push_back(std::move(piece));
    }
    Piece all;
    for (std::size_t i = pieces.size(); i-- > 0;) {
      Piece& piece = pieces[i];
      all.full = piece.full + all.full;
      all.beginnings =
          "(?:" + piece.full + all.beginnings + "|" + std::move(piece.beginnings) + ")";
      all.min += piece.min;
      all.max += piece.max;
      if (all.beginnings.size() > kBeginningsMax || all.max > kMatchBytesMax)
        return wrong("may match too much: 512 bytes are the most");
    }
    return all;
  }

  static Piece character(std::string_view text, std::size_t min, std::size_t max) {
    return {std::string(text), "(?:" + std::string(text) + ")?", min, max};
  }

  Result<Piece> atom(std::size_t depth) {
    const std::size_t from = at_;
    const char first = peek();
    ++at_;
    switch (first) {
      case '(': return group(depth);
      case '[': return char_class(from);
      case '\\': return escape(from);
      case '.': return character(".", 1, kCharacterMax);
      case '*':
      case '+':
      case '?':
      case '{': return wrong("repeats nothing");
      case '^':
      case '$': return wrong("has an anchor: a text has no lines here");
      default: break;
    }
    std::size_t size = 1;
    while (more() && json::continues_character(peek())) {
      ++at_;
      ++size;
    }
    return character(text_.substr(from, size), 1, kCharacterMax);
  }

  Result<Piece> group(std::size_t depth) {
    if (!take("?:") && more() && peek() == '?') return wrong("has a flag or name in a group");
    PENSTOCK_TRY(Piece inside, alternatives(depth + 1));
    if (!take(")")) return wrong("has a ( without its )");
    return inside;
  }

  Result<Piece> char_class(std::size_t from) {
    static_cast<void>(take("^"));
    static_cast<void>(take("]"));  // at the very beginning it stands for itself
    while (more() && peek() != ']') {
      if (take("[:")) {
        const std::size_t end = text_.find(":]", at_);
        if (end == std::string_view::npos) break;
        at_ = end + 2;
        continue;
      }
      at_ += peek() == '\\' ? 2 : 1;
    }
    if (!more()) return wrong("has a [ without its ]");
    ++at_;
    return character(text_.substr(from, at_ - from), 1, kCharacterMax);
  }

  Result<Piece> escape(std::size_t from) {
    if (!more()) return wrong("ends in a backslash");
    const char kind = peek();
    ++at_;
    switch (kind) {
      case 'b':
      case 'B': return Piece{};
      case 'd':
      case 's': return character(text_.substr(from, 2), 1, 1);
      case 'w': return character(text_.substr(from, 2), 1, word_max_);
      case 'D':
      case 'S':
      case 'W':
      case 'n':
      case 'r':
      case 't': return character(text_.substr(from, 2), 1, kCharacterMax);
      default: break;
    }
    const bool mark = static_cast<unsigned char>(kind) < 0x80 && !is_word(kind);
    if (!mark)
      return wrong(
          "has an escape that is none of \\d \\s \\w \\b, theirs in capitals, "
          "\\n \\r \\t and marks");
    return character(text_.substr(from, 2), 1, 1);
  }

  static bool is_word(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
  }

  // How often the piece before stands there, where something says so.
  Result<Piece> repeated(Piece piece) {
    if (!more()) return piece;
    if (peek() == '*' || peek() == '+')
      return wrong("has no bound: write {1,20} or the like instead of * and +");
    std::size_t least = 0;
    std::size_t most = 1;
    if (!take("?")) {
      if (!take("{")) return piece;
      const std::optional<std::size_t> count = number();
      least = most = count.value_or(0);
      if (count && take(",")) {
        if (more() && peek() == '}') return wrong("has no bound: {n,} needs its second number");
        most = number().value_or(0);
      }
      if (!count || !take("}") || most < least || most == 0 || most > kRepeatMax)
        return wrong("has a { that is no {n} and no {n,m}");
    }
    static_cast<void>(take("?"));  // the shortest first
    if (more() && std::string_view("*+?{").find(peek()) != std::string_view::npos)
      return wrong("repeats a repetition");
    Piece out;
    const std::string once = "(?:" + piece.full + ")";
    out.full = once + "{" + std::to_string(least) + "," + std::to_string(most) + "}";
    out.beginnings = once + "{0," + std::to_string(most - 1) + "}" + piece.beginnings;
    out.min = piece.min * least;
    out.max = piece.max * most;
    if (out.max > kMatchBytesMax) return wrong("may match too much: 512 bytes are the most");
    return out;
  }

  std::optional<std::size_t> number() {
    std::size_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  std::size_t word_max_;  // bytes of \w
  std::size_t at_ = 0;
};

}  // namespace

Result<Expression> read_expression(std::string_view text) {
  if (text.size() > kExpressionMax) return wrong("is longer than 256 bytes");
  Expression out;
  constexpr std::string_view kIgnoreCase = "(?i)";
  out.ignores_case = text.starts_with(kIgnoreCase);
  if (out.ignores_case) text.remove_prefix(kIgnoreCase.size());
  out.whole = text;
  PENSTOCK_TRY(Piece all, Parser(text, out.ignores_case ? kFoldedWordMax : 1).read());
  if (all.min == 0) return wrong("matches the empty text");
  out.bytes_max = all.max;
  out.beginnings = std::move(all.beginnings);
  return out;
}

}  // namespace penstock::policy
