#include "policy/event_redactor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "policy/event_walk.h"

namespace penstock::policy {

EventEnd EventRedactor::on_event(EventKind kind, std::string_view data,
                                 std::vector<std::string>& out) {
  EventWalk walk(redactor_, tally_, texts_, kind);
  std::optional<std::string> masked = walk.run(data);
  if (!found_) found_ = walk.found();
  if (!masked) return EventEnd::kUnknown;
  if (texts_.holding()) envelope_ = walk.envelope();
  for (const std::string& choice : walk.finished())
    if (!texts_.flush(choice, envelope_, out)) return EventEnd::kUnknown;
  if (!found_) found_ = texts_.found();
  // Several data lines are one text with line feeds, which stand between JSON's tokens.
  std::ranges::replace_if(*masked, [](char byte) { return byte == '\n' || byte == '\r'; }, ' ');
  out.push_back(*std::move(masked));
  return EventEnd::kMasked;
}

void EventRedactor::finish(std::vector<std::string>& out) {
  ignore(texts_.flush({}, envelope_, out), "nothing comes behind the stream's end");
  if (!found_) found_ = texts_.found();
}

}  // namespace penstock::policy
