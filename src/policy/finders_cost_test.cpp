// Ten times the text costs about ten times the time, whatever it is made of: what looks for
// identifiers never begins again from a place it has left.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <time.h>

#include <gtest/gtest.h>

#include "base/units.h"
#include "policy/identifier_corpus.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {
namespace {

constexpr std::size_t kShort = std::size_t{2} << 10;
constexpr std::size_t kTimes = 10;
constexpr std::size_t kPiece = 700;  // of a text that comes in pieces

// Beginnings without an end, ends without a beginning, and what several kinds begin with.
constexpr std::string_view kUnits[] = {"a",        "a.",          "a@",
                                       "a@a.",     "@",           ".",
                                       "..a@",     "a-",          "a_b.c+",
                                       "1",        "1 ",          "1-",
                                       "1.",       "1 1-",        "+1",
                                       "+",        "(1) ",        "+49 1",
                                       "4111 ",    "4111-1111 ",  "4111111111111111",
                                       "37 ",      "123-45-",     "1.1.1.",
                                       "1.1.1.1",  "255.255.",    ":",
                                       "::",       "f:",          "0:0:0:",
                                       "::1.1.",   "fe80::%",     "DE00 ",
                                       "GB82WEST", "GB00 A1B2 ",  "A",
                                       "sk-",      "sk-a",        "sk-proj-",
                                       "AKIA",     "AKIAIOSFOD",  "ghp_",
                                       "xoxb-",    "eyJ",         "eyJ.",
                                       "AIza",     "-----BEGIN ", "-----BEGIN PRIVATE KEY-----",
                                       "-",        "-----END",    "E-",
                                       "E-1",      "\xc3\xa4",    "\\u0031",
                                       "\\\\",     "\\n1",        "/",
                                       "a=b&",     " a@b.co",     "=",
                                       "_"};

Duration cpu_time() {
  timespec time{};
  EXPECT_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::string text_of(std::string_view unit, std::size_t bytes) {
  std::string text;
  while (text.size() + unit.size() <= bytes) text += unit;
  return text;
}

class FindersCost : public testing::TestWithParam<Writing> {
 protected:
  Duration cost(std::string_view text) {
    const Duration before = cpu_time();
    std::string out;
    StreamRedactor stream(all_, GetParam(), tally_);
    for (std::size_t at = 0; at < text.size(); at += kPiece)
      stream.feed(text.substr(at, kPiece), out);
    stream.finish(out);
    std::string masked;
    const auto found = mask_text(all_, GetParam(), text, tally_, masked);
    EXPECT_EQ(found.has_value(), !masked.empty());
    return cpu_time() - before;
  }
  Duration best_of_three(std::string_view text) {
    return std::min({cost(text), cost(text), cost(text)});
  }

  const Redactor all_ = test::build(test::all_patterns());
  Tally tally_{};
};

INSTANTIATE_TEST_SUITE_P(Writings, FindersCost, testing::Values(Writing::kPlain, Writing::kJson));

TEST_P(FindersCost, GrowsAsTheTextDoes) {
  for (const std::string_view unit : kUnits) {
    const Duration little = best_of_three(text_of(unit, kShort));
    const std::string text = text_of(unit, kTimes * kShort);
    const auto holds = [&] { return best_of_three(text) <= 14 * little + 1ms; };
    EXPECT_TRUE(holds() || holds()) << "of \"" << unit << "\": " << little.count() << " ns";
  }
}

}  // namespace
}  // namespace penstock::policy
