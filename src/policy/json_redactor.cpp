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
#include "policy/binary_text.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {
namespace {

constexpr auto kCopies =
    std::to_array<std::string_view>({"logprobs", "prompt_logprobs", "completion_logprobs",
                                     "token_ids", "prompt_token_ids", "completion_token_ids"});

constexpr std::size_t kTokenCost = 16;   // of a value that is no text, as bytes of one
constexpr std::size_t kBinaryRate = 16;  // bytes that are only passed, to one that is read
constexpr std::size_t kEscapeMax = 12;   // bytes of the longest: a pair of surrogates
constexpr std::size_t kTrailingMax = 3;  // bytes of a character behind its first

// About `most` bytes from the front of a text as it is written in JSON, cut between characters.
std::size_t piece_of(std::string_view raw, std::size_t most) noexcept {
  if (raw.size() <= most + kEscapeMax) return raw.size();
  std::size_t at = most;
  if (raw.substr(most - kEscapeMax, kEscapeMax).find('\\') != std::string_view::npos)
    for (at = 0; at < most;) at += json::first_unit(raw.substr(at)).used;
  for (std::size_t i = 0; i < kTrailingMax && at < raw.size(); ++i, ++at)
    if (!json::continues_character(raw[at])) break;
  return at;
}

}  // namespace

bool DocumentRedactor::step(std::size_t bytes) {
  looked_ = 0;
  if (!std::exchange(begun_, true)) value();
  while (looked_ < bytes) {
    if (long_)
      go_on();
    else if (key_)
      value_of_member();
    else if (!open_.empty())
      next();
    else
      return true;
  }
  return false;
}

RedactedDocument DocumentRedactor::take() {
  RedactedDocument out;
  if (!reader_.finish() || !json::valid_utf8(document_)) return out;
  out.well_formed = true;
  out.found = found_;
  if (copy_.begun()) out.masked = copy_.take();
  return out;
}

// The next member or element of what is open, or its end. The reader bounds the depth.
void DocumentRedactor::next() {
  looked_ += kTokenCost;
  if (open_.back().kind == Container::kArray) {
    member_ = open_.back().key;
    if (reader_.next_element()) return value();
    return open_.pop_back();
  }
  std::string_view key;
  if (!reader_.next_key(key)) return open_.pop_back();
  key_ = key;
  text(key);
}

void DocumentRedactor::value_of_member() {
  const std::string_view key = *std::exchange(key_, std::nullopt);
  member_ = key;
  if (kind_ == Document::kReply && is_copy(key))
    drop_copy();
  else if (kind_ == Document::kRequest && open_.size() == 1 && json::equals(key, "model"))
    reader_.skip_value();
  else
    value();
}

void DocumentRedactor::value() {
  switch (reader_.peek()) {
    case json::Kind::kObject:
      reader_.enter_object();
      return open_.push_back({Container::kObject, member_});
    case json::Kind::kArray:
      reader_.enter_array();
      return open_.push_back({Container::kArray, member_});
    case json::Kind::kString: return string(reader_.read_string());
    case json::Kind::kNumber:
    case json::Kind::kTrue:
    case json::Kind::kFalse:
    case json::Kind::kNull:
    case json::Kind::kInvalid: reader_.skip_value(); return;
  }
}

void DocumentRedactor::drop_copy() {
  const json::Kind kind = reader_.peek();
  const std::string_view whole = reader_.skip_value();
  if (kind == json::Kind::kObject || kind == json::Kind::kArray) copy_.put(whole, "null");
}

void DocumentRedactor::string(std::string_view raw) {
  const std::string_view above = open_.empty() ? std::string_view() : open_.back().key;
  if (!is_binary(member_, above, raw)) return text(raw);
  looked_ += raw.size() / kBinaryRate;
}

void DocumentRedactor::text(std::string_view raw) {
  if (raw.size() > kWholeBytes) {
    long_.emplace(redactor_, Writing::kJson, tally_);
    rest_ = raw;
    clean_ = copy_.offset_of(raw);
    return;
  }
  looked_ += raw.size();
  const std::optional<std::size_t> found =
      mask_text(redactor_, Writing::kJson, raw, tally_, scratch_);
  if (!found) return;
  if (!found_) found_ = found;
  copy_.put(raw, scratch_);
}

// The next piece of a long text. Until something is found what comes out is what went in, and
// needs no copy.
void DocumentRedactor::go_on() {
  const std::size_t size = piece_of(rest_, kPieceBytes);
  const std::string_view piece = rest_.substr(0, size);
  looked_ += size;
  rest_.remove_prefix(size);
  const std::size_t begin = copy_.offset_of(piece);
  const bool clean = !long_->found();
  scratch_.clear();
  long_->feed(piece, scratch_);
  if (rest_.empty()) long_->finish(scratch_);
  const std::optional<std::size_t> found = long_->found();
  if (!found) {
    clean_ += scratch_.size();
  } else {
    if (!found_) found_ = found;
    const std::size_t at = clean ? clean_ : begin;
    copy_.put_at(at, begin + size - at, scratch_);
  }
  if (rest_.empty()) long_.reset();
}

RedactedDocument redact_document(const Redactor& redactor, Document kind, std::string_view document,
                                 Tally& tally) {
  DocumentRedactor walk(redactor, kind, document, tally);
  while (!walk.step(document.size() + 1)) {
  }
  return walk.take();
}

bool is_copy(std::string_view key) noexcept {
  return std::ranges::any_of(kCopies,
                             [key](std::string_view name) { return json::equals(key, name); });
}

}  // namespace penstock::policy
