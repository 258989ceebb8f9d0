#include "dialect/openai/chunk.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "dialect/openai/members.h"
#include "json/reader.h"
#include "json/string.h"
#include "json/utf8.h"

namespace penstock::dialect::openai {
namespace {

// The members of a delta that a client shows or acts on, vendors' included.
constexpr std::array<std::string_view, 11> kContentMembers{
    "content",       "reasoning_content", "tool_calls", "reasoning",       "refusal",       "audio",
    "function_call", "reasoning_details", "images",     "thinking_blocks", "reasoning_text"};

bool is_content_member(std::string_view key) noexcept {
  return std::any_of(kContentMembers.begin(), kContentMembers.end(),
                     [key](std::string_view name) { return json::equals(key, name); });
}

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

class ChunkReader {
 public:
  explicit ChunkReader(std::string_view data) noexcept : reader_(data) {}

  ChunkView read() noexcept {
    if (!reader_.enter_object()) return {};
    std::string_view key;
    while (reader_.next_key(key)) read_member(key);
    if (!reader_.finish()) return {};
    view_.kind = error_ ? ChunkKind::kError : ChunkKind::kChunk;
    view_.usage_only = no_choices_ && has_usage_ && !error_;
    return view_;
  }

 private:
  void read_member(std::string_view key) noexcept {
    if (json::equals(key, "choices")) {
      read_choices();
    } else if (json::equals(key, "model")) {
      const auto raw = read_text(reader_);
      view_.has_model = raw.has_value();
      view_.model_raw = raw.value_or(std::string_view());
    } else if (json::equals(key, "usage")) {
      has_usage_ = reader_.peek() == json::Kind::kObject;
      view_.usage = read_usage(reader_);
    } else if (json::equals(key, "error")) {
      error_ |= read_truthy(reader_);
    } else if (json::equals(key, "object")) {
      const auto object = read_text(reader_);  // vLLM's and SGLang's flat errors say it here
      error_ |= object && json::equals(*object, "error");
    } else {
      reader_.skip_value();
    }
  }

  void read_choices() noexcept {
    if (reader_.peek() != json::Kind::kArray) {
      reader_.skip_value();
      return;
    }
    std::size_t place = 0;
    reader_.enter_array();
    while (reader_.next_element()) {
      if (reader_.peek() == json::Kind::kObject)
        read_choice(place);
      else
        reader_.skip_value();
      ++place;
    }
    no_choices_ = place == 0;
  }

  // place: stands in for an index that was left out.
  void read_choice(std::size_t place) noexcept {
    std::size_t index = place;
    Finish finish = Finish::kOpen;
    std::string_view key;
    reader_.enter_object();
    while (reader_.next_key(key)) {
      if (json::equals(key, "delta") || json::equals(key, "message"))
        read_delta();
      else if (json::equals(key, "finish_reason"))
        finish = read_finish(reader_);
      else if (json::equals(key, "index"))
        index = static_cast<std::size_t>(read_count(reader_).value_or(place));
      else if (json::equals(key, "text"))
        view_.has_content |= read_filled(reader_);
      else
        reader_.skip_value();
    }
    index = std::min(index, kChoicesMax - 1);
    view_.seen.set(index);
    if (finish != Finish::kOpen) view_.finished.set(index);
    view_.finish_failed |= finish == Finish::kFailed;
  }

  void read_delta() noexcept {
    if (reader_.peek() != json::Kind::kObject) {
      reader_.skip_value();
      return;
    }
    std::string_view key;
    reader_.enter_object();
    while (reader_.next_key(key)) {
      if (is_content_member(key))
        view_.has_content |= read_filled(reader_);
      else
        reader_.skip_value();
    }
  }

  json::Reader reader_;
  ChunkView view_;
  bool error_ = false;
  bool no_choices_ = false;
  bool has_usage_ = false;
};

}  // namespace

ChunkView read_chunk(std::string_view data) noexcept {
  if (trim(data) == "[DONE]") return {.kind = ChunkKind::kDone};
  if (!json::valid_utf8(data)) return {};
  return ChunkReader(data).read();
}

}  // namespace penstock::dialect::openai
