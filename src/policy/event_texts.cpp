#include "policy/event_texts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/stream_redactor.h"

namespace penstock::policy {
namespace {

bool is_at_or_below(std::string_view path, std::string_view above) noexcept {
  if (!path.starts_with(above)) return false;
  const std::string_view rest = path.substr(above.size());
  return rest.empty() || rest.front() == kMemberMark || rest.front() == kElementMark;
}

}  // namespace

EventText* EventTexts::find(std::string_view path) noexcept {
  const auto at = std::ranges::find(texts_, path, &EventText::path);
  return at == texts_.end() ? nullptr : &*at;
}

EventText* EventTexts::add(std::string_view path, std::string opening, std::string closing) {
  if (texts_.size() == kTextsMax || path.size() > kPathMax) return nullptr;
  texts_.push_back({.path = std::string(path),
                    .opening = std::move(opening),
                    .closing = std::move(closing),
                    .redactor = StreamRedactor(redactor_, Writing::kJson, tally_),
                    .ready = {}});
  return &texts_.back();
}

bool EventTexts::holding() const noexcept {
  return std::ranges::any_of(texts_, [](const EventText& text) {
    return text.redactor.held() != 0 || !text.ready.empty();
  });
}

bool EventTexts::ended(std::string_view path) const noexcept {
  return std::ranges::any_of(
      ended_, [path](const std::string& above) { return is_at_or_below(path, above); });
}

bool EventTexts::flush(std::string_view path, std::string_view envelope,
                       std::vector<std::string>& out) {
  for (EventText& text : texts_) {
    if (!is_at_or_below(text.path, path)) continue;
    text.redactor.finish(text.ready);
    if (!found_) found_ = text.redactor.found();
    if (text.ready.empty()) continue;
    std::string event = "{";
    event.append(envelope).append(text.opening).append(text.ready).append(text.closing) += '}';
    out.push_back(std::move(event));
  }
  std::erase_if(texts_, [path](const EventText& text) { return is_at_or_below(text.path, path); });
  if (ended(path)) return true;
  if (ended_.size() == kTextsMax) return false;
  ended_.emplace_back(path);
  return true;
}

}  // namespace penstock::policy
