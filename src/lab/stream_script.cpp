#include "lab/stream_script.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "lab/answer.h"
#include "lab/fault.h"

namespace penstock::lab {
namespace {

constexpr std::string_view kErrorJson =
    R"({"error":{"message":"The mock was told to fail here.","type":"server_error",)"
    R"("param":null,"code":"mock_fault"}})";
constexpr std::string_view kBrokenJson = R"({"id":"broken","choices":[{"index":0,"delta":{"cont)";

}  // namespace

StreamScript::StreamScript(const Answer& answer, const Fault& fault)
    : answer_(answer), fault_(fault) {}

bool StreamScript::tells_usage_apart() const noexcept {
  switch (fault_.usage) {
    case UsageFault::kNone:
    case UsageFault::kLast: return false;
    case UsageFault::kSeparate: return true;
    case UsageFault::kAsAsked:
    case UsageFault::kEvery: return answer_.ask().include_usage;
  }
  return false;
}

// Moves on to the stage that has an event; false when none is left.
bool StreamScript::skip_to_event() {
  const bool roles = answer_.ask().chat();
  if (stage_ == Stage::kRoles && (!roles || choice_ == answer_.ask().choices)) {
    stage_ = Stage::kTokens;
    choice_ = 0;
  }
  if (stage_ == Stage::kTokens && token_ == answer_.tokens()) {
    stage_ = Stage::kFinishes;
    choice_ = 0;
  }
  const bool finished = choice_ == answer_.ask().choices || fault_.missing_finish;
  if (stage_ == Stage::kFinishes && finished) stage_ = Stage::kUsage;
  if (stage_ == Stage::kUsage && !tells_usage_apart()) stage_ = Stage::kDone;
  if (stage_ == Stage::kDone && fault_.missing_done) stage_ = Stage::kOver;
  return stage_ != Stage::kOver;
}

std::optional<StreamScript::Event> StreamScript::next() {
  if (broke_ && stage_ != Stage::kOver) stage_ = Stage::kDone;
  if (!skip_to_event()) return std::nullopt;
  out_.clear();
  if (fault_.comments) out_ += fault_.crlf ? ": mock\r\n\r\n" : ": mock\n\n";
  const std::uint64_t number = events_++;
  if (number == fault_.malformed_event_at) {
    frame(kBrokenJson);
    return Event{out_};
  }
  if (number == fault_.error_event_at) {
    frame(kErrorJson);
    broke_ = true;
    return Event{out_};
  }
  Event event;
  if (stage_ == Stage::kTokens && choice_ == 0)
    event.pace = token_ == 0 ? Pace::kFirstToken : Pace::kNextToken;
  append_event();
  event.bytes = out_;
  return event;
}

void StreamScript::append_event() {
  json_.clear();
  switch (stage_) {
    case Stage::kRoles:
      append_chunk({});
      ++choice_;
      break;
    case Stage::kTokens:
      ++told_;
      append_chunk({});
      if (++choice_ == answer_.ask().choices) {
        choice_ = 0;
        ++token_;
      }
      break;
    case Stage::kFinishes:
      append_chunk(answer_.finish_reason());
      ++choice_;
      break;
    case Stage::kUsage:
      answer_.append_opening(json_,
                             answer_.ask().chat() ? "chat.completion.chunk" : "text_completion");
      json_ += "\"choices\":[],\"usage\":";
      answer_.append_usage(json_, told_);
      json_ += '}';
      stage_ = Stage::kDone;
      break;
    case Stage::kDone:
      json_ = "[DONE]";
      stage_ = Stage::kOver;
      break;
    case Stage::kOver: break;
  }
  frame(json_);
}

// finish_reason: empty while the choice goes on.
void StreamScript::append_chunk(std::string_view finish_reason) {
  const bool chat = answer_.ask().chat();
  answer_.append_opening(json_, chat ? "chat.completion.chunk" : "text_completion");
  fmt::format_to(std::back_inserter(json_), "\"choices\":[{{\"index\":{},", choice_);
  json_ += chat ? "\"delta\":{" : "\"text\":\"";
  if (finish_reason.empty()) append_delta();
  json_ += chat ? "},\"logprobs\":null," : "\",\"logprobs\":null,";
  if (finish_reason.empty())
    json_ += "\"finish_reason\":null}]";
  else
    fmt::format_to(std::back_inserter(json_), "\"finish_reason\":\"{}\"}}]", finish_reason);
  append_usage_member();
  json_ += '}';
}

void StreamScript::append_delta() {
  if (stage_ == Stage::kTokens) {
    const std::string_view token = answer_.token(choice_, token_);
    if (!answer_.ask().chat()) {
      json_ += token;
      return;
    }
    json_ += answer_.calls_tool() ? R"("tool_calls":[{"index":0,"function":{"arguments":")"
                                  : R"("content":")";
    json_ += token;
    json_ += answer_.calls_tool() ? R"("}}])" : R"(")";
    return;
  }
  if (!answer_.calls_tool()) {
    json_ += R"("role":"assistant","content":"","refusal":null)";
    return;
  }
  json_ += R"("role":"assistant","content":null,"tool_calls":[{"index":0,)";
  answer_.append_call(json_, choice_);
  json_ += R"("}}])";
}

void StreamScript::append_usage_member() {
  const bool last = stage_ == Stage::kFinishes && choice_ + 1 == answer_.ask().choices;
  const bool here =
      fault_.usage == UsageFault::kEvery || (fault_.usage == UsageFault::kLast && last);
  if (here) {
    json_ += ",\"usage\":";
    answer_.append_usage(json_, told_);
  } else if (tells_usage_apart()) {
    json_ += ",\"usage\":null";
  }
}

void StreamScript::frame(std::string_view data) {
  const std::string_view line_end = fault_.crlf ? "\r\n" : "\n";
  if (const std::size_t comma = data.find(','); fault_.multi_line_data && comma < data.size()) {
    out_ += "data: ";
    out_ += data.substr(0, comma + 1);
    out_ += line_end;
    data.remove_prefix(comma + 1);
  }
  out_ += "data: ";
  out_ += data;
  out_ += line_end;
  out_ += line_end;
}

}  // namespace penstock::lab
