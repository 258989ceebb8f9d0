#include "policy/json_redactor.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/reader.h"
#include "json/string.h"
#include "json/utf8.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {
namespace {

constexpr auto kCopies = std::to_array<std::string_view>(
    {"logprobs", "prompt_logprobs", "token_ids", "prompt_token_ids"});

// One walk over a document, which puts together the masked one where there is anything to mask.
class DocumentRedactor {
 public:
  DocumentRedactor(const Redactor& redactor, Document kind, std::string_view document,
                   Tally& tally) noexcept
      : redactor_(redactor), kind_(kind), document_(document), tally_(tally), reader_(document) {}

  RedactedDocument run() {
    RedactedDocument out;
    value(0);
    if (!reader_.finish() || !json::valid_utf8(document_)) return out;
    out.well_formed = true;
    out.found = found_;
    if (copied_ != 0) out.masked = std::move(masked_.append(document_.substr(copied_)));
    return out;
  }

 private:
  // Recursion ends with the reader's own bound on depth.
  void value(std::size_t depth) {
    switch (reader_.peek()) {
      case json::Kind::kObject: return object(depth);
      case json::Kind::kArray:
        reader_.enter_array();
        while (reader_.next_element()) value(depth + 1);
        return;
      case json::Kind::kString: return text(reader_.read_string());
      case json::Kind::kNumber:
      case json::Kind::kTrue:
      case json::Kind::kFalse:
      case json::Kind::kNull:
      case json::Kind::kInvalid: reader_.skip_value(); return;
    }
  }

  void object(std::size_t depth) {
    std::string_view key;
    reader_.enter_object();
    while (reader_.next_key(key)) {
      text(key);
      if (kind_ == Document::kReply && is_copy(key))
        drop_copy();
      else if (kind_ == Document::kRequest && depth == 0 && json::equals(key, "model"))
        reader_.skip_value();
      else
        value(depth + 1);
    }
  }

  void drop_copy() {
    const json::Kind kind = reader_.peek();
    const std::string_view whole = reader_.skip_value();
    if (kind == json::Kind::kObject || kind == json::Kind::kArray) put(whole, "null");
  }

  void text(std::string_view raw) {
    const std::optional<std::size_t> found =
        mask_text(redactor_, Writing::kJson, raw, tally_, scratch_);
    if (!found) return;
    if (!found_) found_ = found;
    put(raw, scratch_);
  }

  // `part` of the document gives way.
  void put(std::string_view part, std::string_view instead) {
    const auto at = static_cast<std::size_t>(part.data() - document_.data());
    masked_.append(document_.substr(copied_, at - copied_)).append(instead);
    copied_ = at + part.size();
  }

  const Redactor& redactor_;
  Document kind_;
  std::string_view document_;
  Tally& tally_;
  json::Reader reader_;
  std::string masked_;
  std::size_t copied_ = 0;  // so much of the document is in masked_, or gave way
  std::string scratch_;
  std::optional<std::size_t> found_;
};

}  // namespace

RedactedDocument redact_document(const Redactor& redactor, Document kind, std::string_view document,
                                 Tally& tally) {
  return DocumentRedactor(redactor, kind, document, tally).run();
}

bool is_copy(std::string_view key) noexcept {
  return std::ranges::any_of(kCopies,
                             [key](std::string_view name) { return json::equals(key, name); });
}

}  // namespace penstock::policy
