#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {

// What a document is: a reply's token by token copies of its text go, a request keeps its model.
enum class Document : std::uint8_t { kRequest, kReply };

// What became of one document.
struct RedactedDocument {
  bool well_formed = false;           // one JSON document in UTF-8; when not, nothing was read
  std::optional<std::size_t> found;   // the first pattern that was found
  std::optional<std::string> masked;  // the document with masks; nullopt: it stays as it is
};

// Masks every string of a JSON document, names of members included, in whatever place it stands; a
// string that is JSON again is read with its own escapes (inner_text.h). Other bytes stay as they
// are. Not read: the value of a request's top-level `model`, which the gateway replaces; numbers.
// In a reply `logprobs` and other copies of the text in pieces become null (is_copy()).
//
// tally: what was found is added.
// cost:  O(bytes); copies the document only where something is masked.
[[nodiscard]] RedactedDocument redact_document(const Redactor& redactor, Document kind,
                                               std::string_view document, Tally& tally);

// Whether a member of a reply says the text again in pieces, as tokens or their numbers.
[[nodiscard]] bool is_copy(std::string_view key) noexcept;

}  // namespace penstock::policy
