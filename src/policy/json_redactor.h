#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/reader.h"
#include "policy/masked_copy.h"
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

// Masks a document in steps, so that whoever drives it can do something else between them; how it
// is cut into steps changes nothing of what is masked, and what a step needs does not grow with the
// document. See redact_document() for what is done.
class DocumentRedactor {
 public:
  // A text is looked through whole up to here, and in pieces of kPieceBytes beyond.
  static constexpr std::size_t kWholeBytes = std::size_t{64} << 10;
  static constexpr std::size_t kPieceBytes = std::size_t{16} << 10;
  // Memory of a step, the masked copy aside: three times the bytes of a text, and what can be found
  // in them, 32 bytes each and hardly more than one for every four.
  static constexpr std::size_t kWorkingBytes = std::size_t{1} << 20;

  // All must outlive this; what is found is added to the tally.
  DocumentRedactor(const Redactor& redactor, Document kind, std::string_view document,
                   Tally& tally) noexcept
      : redactor_(redactor),
        kind_(kind),
        document_(document),
        tally_(tally),
        reader_(document),
        copy_(document) {}

  // Looks through so many more bytes, and at most kWholeBytes beyond; true when it is at the end.
  [[nodiscard]] bool step(std::size_t bytes);

  // Bytes of the masked copy so far; 0 when there is nothing to mask yet.
  [[nodiscard]] std::size_t copied() const noexcept { return copy_.size(); }

  // What became of it. Once, when step() has said that it is at the end.
  [[nodiscard]] RedactedDocument take();

 private:
  enum class Container : std::uint8_t { kObject, kArray };
  struct Open {
    Container kind;
    std::string_view key;  // of the member it is, or is in, as written
  };

  void next();
  void value();
  void value_of_member();
  void string(std::string_view raw);
  void text(std::string_view raw);
  void go_on();
  void drop_copy();

  const Redactor& redactor_;
  Document kind_;
  std::string_view document_;
  Tally& tally_;
  json::Reader reader_;
  std::vector<Open> open_;
  std::string_view member_;              // whose value is read, or an element of it
  std::optional<std::string_view> key_;  // of the member whose value comes next
  bool begun_ = false;
  MaskedCopy copy_;
  std::string scratch_;
  std::optional<std::size_t> found_;
  std::size_t looked_ = 0;              // in this step
  std::optional<StreamRedactor> long_;  // a text that is looked through in pieces
  std::string_view rest_;               // what of it is still to come
  std::size_t clean_ = 0;               // of the document: nothing of the text was found before
};

// Masks every string of a JSON document, names of members included, in whatever place it stands; a
// string that is JSON again is read with its own escapes (inner_text.h). Other bytes stay as they
// are. Not read: images and the like (binary_text.h); the value of a request's top-level `model`,
// which the gateway replaces; numbers. In a reply `logprobs` and other copies of the text in pieces
// become null (is_copy()).
//
// tally: what was found is added.
// cost:  O(bytes); copies the document only where something is masked.
[[nodiscard]] RedactedDocument redact_document(const Redactor& redactor, Document kind,
                                               std::string_view document, Tally& tally);

// Whether a member of a reply says the text again in pieces, as tokens or their numbers.
[[nodiscard]] bool is_copy(std::string_view key) noexcept;

}  // namespace penstock::policy
