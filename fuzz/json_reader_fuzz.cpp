// rooms: json
// The reader against simdjson's DOM: both must accept or refuse the same documents, but for what
// ours lets pass on purpose (numbers of any size, lone surrogates) and for depth.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "json/reader.h"
#include "json/string.h"
#include "json/utf8.h"

namespace {

using penstock::json::Kind;
using penstock::json::Reader;

void require(bool holds) {
  if (!holds) std::abort();
}

simdjson::error_code referee(std::string_view text) {
  static simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  return parser.parse(padded).error();
}

// RFC 8259 section 6, written down once more.
bool is_number(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - from;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const std::size_t from = at;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[from] == '0')) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

// Rewrites a document through the pull calls: each number becomes 0 and each string what it means,
// so that simdjson can read what it would refuse. Recursion is bounded by the reader's depth.
void rewrite(Reader& reader, std::string& out) {
  switch (reader.peek()) {
    case Kind::kObject: {
      std::string_view key;
      bool first = true;
      reader.enter_object();
      out += '{';
      while (reader.next_key(key)) {
        if (!first) out += ',';
        first = false;
        penstock::json::append_quoted(out, penstock::json::unescape(key));
        out += ':';
        rewrite(reader, out);
      }
      out += '}';
      return;
    }
    case Kind::kArray: {
      bool first = true;
      reader.enter_array();
      out += '[';
      while (reader.next_element()) {
        if (!first) out += ',';
        first = false;
        rewrite(reader, out);
      }
      out += ']';
      return;
    }
    case Kind::kString: {
      const std::string_view raw = reader.read_string();
      const std::string text = penstock::json::unescape(raw);
      require(penstock::json::valid_utf8(text) || !penstock::json::valid_utf8(raw));
      if (!penstock::json::valid_utf8(raw)) return;
      require(text.find('\\') != std::string::npos || penstock::json::equals(raw, text));
      penstock::json::append_quoted(out, text);
      return;
    }
    case Kind::kNumber: {
      const std::string_view number = reader.skip_value();
      require(!reader.ok() || is_number(number));
      out += '0';
      return;
    }
    case Kind::kTrue:
    case Kind::kFalse:
    case Kind::kNull: out += reader.skip_value(); return;
    case Kind::kInvalid: reader.skip_value(); return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Reader skipping(text);
  skipping.skip_value();
  const bool skipped = skipping.finish();
  require(skipping.offset() <= size);

  // Reading member by member and skipping over everything are two implementations of one grammar.
  Reader pulling(text);
  std::string copy;
  rewrite(pulling, copy);
  require(pulling.finish() == skipped);

  const bool ours = skipped && penstock::json::valid_utf8(text);
  require(ours == penstock::json::valid(text));
  const simdjson::error_code theirs = referee(text);
  if (theirs == simdjson::SUCCESS) {
    // simdjson allows 1024 levels.
    const bool deep =
        std::count(text.begin(), text.end(), '[') + std::count(text.begin(), text.end(), '{') >
        Reader::kDepthMax;
    require(ours || deep);
  } else if (ours) {
    require(theirs == simdjson::NUMBER_ERROR || theirs == simdjson::STRING_ERROR);
    require(referee(copy) == simdjson::SUCCESS);
  }
  return 0;
}
