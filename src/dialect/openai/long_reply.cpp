#include "dialect/openai/long_reply.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/assert.h"
#include "dialect/openai/members.h"
#include "json/reader.h"
#include "json/string.h"
#include "json/top_level.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {
namespace {

using json::TopLevel;

// "model" and "usage" with every letter written as \uXXXX, and the quotes.
constexpr std::size_t kKeyMax = 5 * 6 + 2;

}  // namespace

LongReply::LongReply(std::string_view public_model) : name_(public_model) {
  json::append_quoted(name_quoted_, public_model);
}

std::span<const std::string_view> LongReply::feed(std::string_view piece) {
  out_count_ = 0;
  while (!piece.empty()) {
    const TopLevel::Run run = top_level_.next(piece);
    if (run.part == TopLevel::Part::kKey) on_key(run);
    if (run.part == TopLevel::Part::kValue && member_ == Member::kModel) {
      on_model(run);
      continue;
    }
    if (run.part == TopLevel::Part::kValue && member_ == Member::kUsage) on_usage(run);
    pass(run.bytes);
  }
  add(run_);
  run_ = {};
  return {out_.data(), out_count_};
}

std::span<const std::string_view> LongReply::finish() {
  out_count_ = 0;
  if (member_ == Member::kModel) release();
  return {out_.data(), out_count_};
}

// All of a key or value once its last run came, nothing before; "" when it is longer than
// `bytes_max`, no more of which is ever kept. The caller clears part_ when it has read it.
std::optional<std::string_view> LongReply::gather(TopLevel::Run run, std::size_t bytes_max) {
  too_long_ = too_long_ || part_.size() + run.bytes.size() > bytes_max;
  if (!too_long_ && part_.empty() && run.ends) return run.bytes;
  if (!too_long_) part_ += run.bytes;
  if (!run.ends) return std::nullopt;
  if (!too_long_) return part_;
  too_long_ = false;
  return std::string_view();
}

void LongReply::on_key(TopLevel::Run run) {
  const std::optional<std::string_view> text = gather(run, kKeyMax);
  if (!text) return;
  json::Reader reader(*text);
  const std::string_view key = reader.read_string();
  member_ = Member::kOther;
  if (reader.finish()) {
    if (json::equals(key, "model") && restamps_ < kRestampsMax) member_ = Member::kModel;
    if (json::equals(key, "usage")) member_ = Member::kUsage;
  }
  part_.clear();
}

// Withholds a string until it is whole or too long.
void LongReply::on_model(TopLevel::Run run) {
  const bool text = !part_.empty() || run.bytes.starts_with('"');
  if (!text || part_.size() + run.bytes.size() > kModelMax) {
    release();
    pass(run.bytes);
    member_ = Member::kOther;
    return;
  }
  const std::optional<std::string_view> value = gather(run, kModelMax);
  if (!value) return;
  member_ = Member::kOther;
  if (is_foreign(*value)) {
    put_name();
    part_.clear();
  } else if (part_.empty()) {
    pass(run.bytes);
  } else {
    release();
  }
}

void LongReply::on_usage(TopLevel::Run run) {
  const std::optional<std::string_view> value = gather(run, kUsageMax);
  if (!value) return;
  json::Reader reader(*value);
  const llm::Usage told = read_usage(reader);
  usage_ = reader.finish() ? told : llm::Usage{};
  part_.clear();
  member_ = Member::kOther;
}

// Whether a value is a string that means another name.
bool LongReply::is_foreign(std::string_view value) const noexcept {
  json::Reader reader(value);
  const std::string_view raw = reader.read_string();
  return reader.finish() && !json::equals(raw, name_);
}

// bytes: of the piece, following what was passed or replaced before.
void LongReply::pass(std::string_view bytes) {
  if (run_.empty())
    run_ = bytes;
  else
    run_ = {run_.data(), run_.size() + bytes.size()};
}

void LongReply::add(std::string_view bytes) {
  if (bytes.empty()) return;
  PENSTOCK_ASSERT(out_count_ < out_.size());
  out_[out_count_++] = bytes;
}

void LongReply::put_name() {
  add(run_);
  run_ = {};
  add(name_quoted_);
  ++restamps_;
}

// Sends what is withheld as it came. Only a value of an earlier piece can be, so it happens before
// anything of this piece is passed, and once.
void LongReply::release() {
  if (part_.empty()) return;
  PENSTOCK_ASSERT(run_.empty() && out_count_ == 0);
  released_.swap(part_);
  part_.clear();
  add(released_);
}

}  // namespace penstock::dialect::openai
