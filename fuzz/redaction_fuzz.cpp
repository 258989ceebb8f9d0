// rooms: policy json
// Arbitrary texts: a split changes nothing of what is masked, little is held back, every identifier
// that a pattern finds is gone, in whatever marks and escapes it is dressed, and a document that
// was one stays one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/result.h"
#include "json/reader.h"
#include "policy/json_redactor.h"
#include "policy/pattern_kind.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"
#include "policy/text_scan.h"
#include "policy/window.h"

namespace {

namespace policy = penstock::policy;

constexpr std::size_t kCharactersMax = 400;  // held back
constexpr std::size_t kEscapeMax = 8 + 5;    // bytes of one of them as it is written

void require(bool holds) {
  if (!holds) std::abort();
}

policy::Redactor all_patterns() {
  policy::RedactConfig config;
  for (const auto& row : enum_names(penstock::Describe<policy::PatternKind>{}))
    config.patterns.push_back(row.value);
  config.custom.add("staff").expression = "\\b(?:E|EX)-\\d{2,6}\\b";
  config.custom.add("word").expression = "(?i)gehe?im.{1,4}?!";
  penstock::Result<policy::Redactor> built = policy::Redactor::build(config);
  require(built.has_value());
  return *std::move(built);
}

std::string in_pieces(const policy::Redactor& redactor, policy::Writing writing,
                      std::string_view text, std::size_t step) {
  policy::Tally tally{};
  policy::StreamRedactor stream(redactor, writing, tally);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += step) {
    stream.feed(text.substr(at, step), out);
    require(stream.held() <= kCharactersMax * kEscapeMax + step);
  }
  stream.finish(out);
  require(stream.held() == 0);
  return out;
}

std::string whole(const policy::Redactor& redactor, policy::Writing writing,
                  std::string_view text) {
  policy::Tally tally{};
  std::string out;
  return policy::mask_text(redactor, writing, text, tally, out) ? out : std::string(text);
}

// What lies between the identifiers, as each pattern finds them by itself, is all that may be left.
void check_union(const policy::Redactor& redactor, std::string_view text, std::string_view masked) {
  policy::TextScan scan(redactor);
  std::vector<policy::Span> spans;
  require(scan.scan({text, true}, spans) == text.size());
  std::vector<bool> taken(text.size());
  for (const policy::Span& span : spans)
    for (std::size_t at = span.begin; at < span.end; ++at) taken[at] = true;
  std::size_t left = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (taken[at]) continue;
    left = masked.find(text[at], left);
    require(left != std::string_view::npos);
    ++left;
  }
  if (spans.empty()) require(masked == text);
}

bool finds(const policy::Redactor& redactor, std::size_t pattern, std::string_view text) {
  return redactor.find(pattern, {text, true}, 0).what == policy::Found::What::kMatch;
}

// No blank or hyphen beyond ASCII hides a number that ASCII's would not, and no escape in front
// hides anything.
void check_disguises(const policy::Redactor& redactor, std::string_view text) {
  using Kind = policy::PatternKind;
  std::string wide;
  for (const char byte : text) {
    if (byte == ' ' || byte == '-')
      wide += byte == ' ' ? "\u202F" : "\u2011";
    else
      wide += byte;
  }
  const std::string quoted = "see \\n" + std::string(text);
  for (std::size_t i = 0; i < redactor.size(); ++i) {
    const Kind kind = redactor.kind(i);
    if (kind == Kind::kCustom || !finds(redactor, i, text)) continue;
    require(finds(redactor, i, quoted));
    const bool parted =
        kind == Kind::kPhone || kind == Kind::kCard || kind == Kind::kIban || kind == Kind::kSsn;
    if (parted) require(finds(redactor, i, wide));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const policy::Redactor kRedactor = all_patterns();
  if (size < 2 || size > 4096) return 0;
  const std::size_t step = 1 + data[0] % 37;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  const std::string plain = whole(kRedactor, policy::Writing::kPlain, text);
  require(in_pieces(kRedactor, policy::Writing::kPlain, text, step) == plain);
  require(in_pieces(kRedactor, policy::Writing::kPlain, text, 1) == plain);
  const bool simple = text.find('\\') == std::string_view::npos;
  if (simple) check_union(kRedactor, text, plain);
  check_disguises(kRedactor, text);

  const std::string quoted = '"' + std::string(text) + '"';
  if (penstock::json::valid(quoted)) {
    const std::string masked = whole(kRedactor, policy::Writing::kJson, text);
    require(penstock::json::valid('"' + masked + '"'));
    if (simple) require(in_pieces(kRedactor, policy::Writing::kJson, text, step) == masked);
  }
  policy::Tally tally{};
  const policy::RedactedDocument document =
      redact_document(kRedactor, policy::Document::kReply, text, tally);
  require(document.well_formed == penstock::json::valid(text));
  if (document.masked) require(penstock::json::valid(*document.masked));
  return 0;
}
