// What redaction costs for each 1,000 bytes of text, with eight patterns. Prints one JSON object:
// microseconds, the median of many rounds, for prose and for text full of numbers, whole and in
// pieces of one word as streams bring them.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ratio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/units.h"
#include "policy/json_redactor.h"
#include "policy/pattern_kind.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"
#include "runtime/system.h"

namespace {

using namespace penstock;  // NOLINT(google-build-using-namespace): a program of one file
using policy::PatternKind;

constexpr std::string_view kProse =
    "The committee met on Tuesday to discuss the proposal, which had been circulated the week "
    "before. Most members agreed that the plan was sound; a few asked for more detail about how "
    "the costs would be shared between the two departments. In 2019 a similar scheme had failed "
    "because nobody owned it. \"We should not repeat that,\" said the chair, and proposed that a "
    "small group of 5 people draw up a timetable by the end of March. The group will report on "
    "three questions: who pays, who decides, and what happens when the first two disagree. It was "
    "noted that the existing system runs well enough (about 98.5 % of requests end within two "
    "seconds), so that there is no hurry. As before, minutes are kept on the shared drive. ";
constexpr std::string_view kNumbers =
    "| 2024-01-31 | 10:30:15 | 1,204.50 | 17 | v1.2.3 | item-20394 | 0.9814 | 88 | 12:45 | a1b2c3 "
    "| {\"id\": 4711, \"at\": \"2024-02-01T12:00:00Z\", \"ok\": true, \"n\": [1, 2, 3.5, 4e6]} | ";

std::string text_of(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

// The median of microseconds for each 1,000 bytes.
template <class Work>
double measure(std::string_view text, Work work) {
  runtime::SystemClock clock;
  std::vector<double> rounds;
  for (int round = 0; round < 200; ++round) {
    const TimePoint before = clock.now();
    work(text);
    const std::chrono::duration<double, std::micro> took = clock.now() - before;
    rounds.push_back(took.count() * 1000.0 / static_cast<double>(text.size()));
  }
  std::ranges::nth_element(rounds, rounds.begin() + 100);
  return rounds[100];
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' ', 1), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

}  // namespace

int main() {
  policy::RedactConfig config;
  config.patterns = {PatternKind::kEmail, PatternKind::kPhone, PatternKind::kCard,
                     PatternKind::kIban,  PatternKind::kSsn,   PatternKind::kIpv4,
                     PatternKind::kIpv6,  PatternKind::kApiKey};
  const Result<policy::Redactor> built = policy::Redactor::build(config);
  if (!built) return 1;
  const policy::Redactor& redactor = *built;
  policy::Tally tally{};
  std::string out;
  const auto whole = [&](std::string_view text) {
    static_cast<void>(policy::mask_text(redactor, policy::Writing::kPlain, text, tally, out));
  };
  const auto streamed = [&](std::string_view text) {
    out.clear();
    policy::StreamRedactor stream(redactor, policy::Writing::kJson, tally);
    for (const std::string_view word : words_of(text)) stream.feed(word, out);
    stream.finish(out);
  };
  const auto document = [&](std::string_view text) {
    static_cast<void>(redact_document(redactor, policy::Document::kRequest, text, tally));
  };
  const std::string prose = text_of(kProse, 64'000);
  const std::string numbers = text_of(kNumbers, 64'000);
  std::string inside = prose;
  std::erase(inside, '"');
  const std::string body =
      R"({"model":"m","messages":[{"role":"user","content":")" + inside + R"("}]})";
  fmt::print(
      "{{\"unit\":\"us per 1000 bytes, eight patterns\",\"prose\":{:.3f},\"numbers\":{:.3f},"
      "\"request\":{:.3f},\"prose_by_word\":{:.3f}}}\n",
      measure(prose, whole), measure(numbers, whole), measure(body, document),
      measure(prose, streamed));
  return 0;
}
