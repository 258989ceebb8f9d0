#include "policy/event_walk.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "json/reader.h"
#include "json/string.h"
#include "llm/finish.h"
#include "policy/binary_text.h"
#include "policy/event_members.h"
#include "policy/event_redactor.h"
#include "policy/event_texts.h"
#include "policy/json_redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {
namespace {

constexpr std::size_t kEnvelopeValueMax = 256;
constexpr std::size_t kIndexMax = 20;  // digits

// A whole number has one spelling only: `0` and not `0.0`, `-0` or `0e1`, nor a string.
bool is_index(std::string_view value) noexcept {
  if (value.size() > kIndexMax || value == "-0") return false;
  if (value.starts_with('-')) value.remove_prefix(1);
  return std::ranges::all_of(value, [](char byte) { return byte >= '0' && byte <= '9'; });
}

}  // namespace

std::optional<std::string> EventWalk::run(std::string_view data) {
  copy_ = MaskedCopy(data);
  reader_ = json::Reader(data);
  if (!json::valid(data) || reader_.peek() != json::Kind::kObject) return std::nullopt;
  members(kind_ == EventKind::kError ? Strings::kWhole : Strings::kPieces);
  if (!reader_.finish() || unknown_) return std::nullopt;
  return copy_.take();
}

std::string EventWalk::envelope() const {
  std::string out;
  for (const auto& [key, value] : envelope_) {
    if (value.size() > kEnvelopeValueMax) continue;
    out.append("\"").append(key).append("\":");
    if (value.front() == '"')
      out.append("\"").append(masked_name(value.substr(1, value.size() - 2))).append("\"");
    else
      out += value;
    out += ',';
  }
  return out;
}

void EventWalk::value(Strings strings) {
  switch (reader_.peek()) {
    case json::Kind::kObject: return members(strings);
    case json::Kind::kArray: return elements(strings);
    case json::Kind::kString: return string(reader_.read_string(), strings);
    case json::Kind::kNumber:
    case json::Kind::kTrue:
    case json::Kind::kFalse:
    case json::Kind::kNull:
    case json::Kind::kInvalid: reader_.skip_value(); return;
  }
}

void EventWalk::members(Strings strings) {
  std::string_view key;
  reader_.enter_object();
  while (reader_.next_key(key)) {
    mask(key);
    const json::Kind kind = reader_.peek();
    const bool container = kind == json::Kind::kObject || kind == json::Kind::kArray;
    if (container && is_copy(key)) {
      copy_.put(reader_.skip_value(), "null");
      continue;
    }
    json::Reader ahead = reader_;
    const std::string_view simple = container ? std::string_view("[") : ahead.skip_value();
    if (steps_.empty() && !container && is_envelope(key)) envelope_.push_back({key, simple});
    const MemberPlace place{.top = steps_.empty(),
                            .choice = !steps_.empty() && steps_.back().choice,
                            .above = member_above(0)};
    const std::size_t before = path_.size();
    enter_member(key);
    value(is_whole(key, simple, place) ? Strings::kWhole : strings);
    leave(before);
  }
}

void EventWalk::elements(Strings strings) {
  std::size_t place = 0;
  reader_.enter_array();
  while (reader_.next_element()) {
    const Step step = describe();
    const std::size_t before = path_.size();
    enter(step, step.index.empty() ? std::string_view(std::to_string(place)) : step.index);
    if (step.finishes) finished_.push_back(path_);
    value(strings);
    leave(before);
    ++place;
  }
}

// What the element that comes next says of itself, wherever in it.
EventWalk::Step EventWalk::describe() const {
  Step step{.kind = Step::Kind::kElement};
  step.choice = steps_.size() == 1 && json::equals(steps_.front().key, "choices");
  json::Reader ahead = reader_;
  if (ahead.peek() != json::Kind::kObject) return step;
  std::string_view key;
  ahead.enter_object();
  while (ahead.next_key(key)) {
    const json::Kind kind = ahead.peek();
    const std::string_view value = ahead.skip_value();
    if (kind != json::Kind::kNull && json::equals(key, "index")) {
      const bool twice = !step.index.empty() && step.index != value;
      step.odd = step.odd || twice || !is_index(value);
      step.index = step.odd ? std::string_view() : value;
    } else if (kind == json::Kind::kString && json::equals(key, "type"))
      step.type = value.substr(1, value.size() - 2);
    else if (kind == json::Kind::kString && step.choice && json::equals(key, "finish_reason"))
      step.finishes = step.finishes || !llm::goes_on(value.substr(1, value.size() - 2));
  }
  return step;
}

void EventWalk::enter(const Step& step, std::string_view name) {
  steps_.push_back(step);
  path_ += step.kind == Step::Kind::kMember ? kMemberMark : kElementMark;
  path_ += name;
}

// A name is the same however it is spelled; one with a path's own marks in it cannot be told apart.
void EventWalk::enter_member(std::string_view key) {
  const Step step{.kind = Step::Kind::kMember, .key = key};
  if (key.find('\\') == std::string_view::npos) return enter(step, key);
  const std::string meant = json::unescape(key);
  unknown_ = unknown_ || meant.find(kMemberMark) != std::string::npos ||
             meant.find(kElementMark) != std::string::npos;
  enter(step, meant);
}

void EventWalk::leave(std::size_t path_size) {
  path_.resize(path_size);
  steps_.pop_back();
}

// The name of the innermost member we are in, or of one further out.
std::string_view EventWalk::member_above(std::size_t out) const noexcept {
  for (std::size_t i = steps_.size(); i-- > 0;)
    if (steps_[i].kind == Step::Kind::kMember && out-- == 0) return steps_[i].key;
  return {};
}

void EventWalk::string(std::string_view raw, Strings strings) {
  const bool whole = strings == Strings::kWhole;
  if (is_binary(member_above(0), member_above(1), raw) && (whole || !text_waits())) return;
  if (whole) return mask(raw);
  piece(raw);
}

void EventWalk::mask(std::string_view raw) {
  const std::optional<std::size_t> found =
      mask_text(redactor_, Writing::kJson, raw, tally_, scratch_);
  if (!found) return;
  if (!found_) found_ = found;
  copy_.put(raw, scratch_);
}

// With a choice that finishes, what its texts say goes out before, and whole: they end here.
void EventWalk::piece(std::string_view raw) {
  const bool odd = std::ranges::any_of(steps_, &Step::odd);
  const bool ended = texts_.ended(path_);
  if (ended && raw.empty()) return;
  EventText* const text = odd || ended ? nullptr : text_here();
  if (text == nullptr) {
    unknown_ = true;
    return;
  }
  const bool ends = std::ranges::any_of(steps_, &Step::finishes);
  scratch_.clear();
  text->redactor.feed(raw, scratch_);
  if (!found_) found_ = text->redactor.found();
  if (ends) text->ready += scratch_;
  if (ends)
    copy_.put(raw, "");
  else if (scratch_ != raw)
    copy_.put(raw, scratch_);
}

// What comes behind pieces that are held back must not overtake them.
bool EventWalk::text_waits() {
  const EventText* const known = texts_.find(path_);
  return known != nullptr && (known->redactor.held() != 0 || !known->ready.empty());
}

EventText* EventWalk::text_here() {
  if (EventText* const known = texts_.find(path_)) return known;
  return texts_.add(path_, opening(), closing());
}

// A name of the event's own, for one that is made: what was found in it is counted already.
std::string EventWalk::masked_name(std::string_view raw) const {
  Tally counted{};
  std::string out;
  return mask_text(redactor_, Writing::kJson, raw, counted, out) ? out : std::string(raw);
}

std::string EventWalk::opening() const {
  std::string out;
  const Step* above = nullptr;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kElement) {
      out += '[';
    } else {
      if (above != nullptr) out += '{';
      if (above != nullptr && !above->index.empty())
        out.append("\"index\":").append(above->index) += ',';
      if (above != nullptr && !above->type.empty())
        out.append("\"type\":\"").append(masked_name(above->type)).append("\",");
      out.append("\"").append(masked_name(step.key)).append("\":");
    }
    above = &step;
  }
  return out + '"';
}

std::string EventWalk::closing() const {
  std::string out = "\"";
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const bool element = steps_[i].kind == Step::Kind::kElement;
    const bool in_choice = i > 0 && steps_[i - 1].choice;
    if (!element && in_choice) out += ",\"finish_reason\":null";
    if (element || i > 0) out += element ? ']' : '}';
  }
  return out;
}

}  // namespace penstock::policy
