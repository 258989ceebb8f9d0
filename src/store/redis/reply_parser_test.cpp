#include "store/redis/reply_parser.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "store/redis/value.h"

namespace penstock::store::redis {
namespace {

using Step = ReplyParser::Step;

// All values of the bytes, given in pieces of this size; nullopt when they are refused.
std::optional<std::vector<Value>> read_all(std::string_view bytes, std::size_t piece) {
  ReplyParser parser;
  std::vector<Value> values;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    std::string_view part = bytes.substr(at, piece);
    for (;;) {
      const Step step = parser.next(part);
      if (step == Step::kBroken) return std::nullopt;
      if (step == Step::kMore) break;
      values.push_back(parser.take());
    }
  }
  return values;
}

std::string text_of(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNil: return "nil";
    case ValueKind::kInteger: return std::to_string(value.integer);
    case ValueKind::kText: return "'" + value.text + "'";
    case ValueKind::kError: return "!" + value.text;
    case ValueKind::kList: break;
  }
  std::string text = "[";
  for (const Value& element : value.list) text += text_of(element) + " ";
  return text + "]";
}

struct Case {
  std::string_view bytes;
  std::string_view values;  // one after the other
};

// Every split gives the same.
TEST(ReplyParser, ReadsEveryTypeInEverySplit) {
  const std::vector<Case> cases = {
      {"+OK\r\n", "'OK'"},
      {"-ERR no\r\n", "!ERR no"},
      {":-42\r\n:9223372036854775807\r\n", "-42 9223372036854775807"},
      {"$5\r\na\r\nb\n\r\n$0\r\n\r\n", "'a\r\nb\n' ''"},
      {"$-1\r\n*-1\r\n_\r\n", "nil nil nil"},
      {"*0\r\n*2\r\n*1\r\n:1\r\n$1\r\nx\r\n", "[] [[1 ] 'x' ]"},
      {"#t\r\n#f\r\n,1.5\r\n(123456789012345678901\r\n", "1 0 '1.5' '123456789012345678901'"},
      {"!3\r\nERR\r\n=7\r\ntxt:abc\r\n", "!ERR 'abc'"},
      {"%1\r\n+k\r\n:1\r\n~1\r\n:2\r\n", "['k' 1 ] [2 ]"},
      {">2\r\n+invalidate\r\n*0\r\n:1\r\n>0\r\n", "1"},
      {"|1\r\n+ttl\r\n:3\r\n*2\r\n|1\r\n+a\r\n:1\r\n:1\r\n:2\r\n", "[1 2 ]"},
  };
  for (const Case& one : cases) {
    for (std::size_t piece = 1; piece <= one.bytes.size(); ++piece) {
      const auto values = read_all(one.bytes, piece);
      ASSERT_TRUE(values) << one.bytes;
      std::string text;
      for (const Value& value : *values) text += (text.empty() ? "" : " ") + text_of(value);
      EXPECT_EQ(text, one.values) << "in pieces of " << piece;
    }
  }
}

TEST(ReplyParser, RefusesWhatIsNoReply) {
  for (const std::string_view bytes : {"\r\n",
                                       "OK\r\n",
                                       "+OK\n",
                                       "+O\rK\r\n",
                                       ":\r\n",
                                       ":1x\r\n",
                                       ":+1\r\n",
                                       ": 1\r\n",
                                       ":9223372036854775808\r\n",
                                       "$-2\r\n",
                                       "$x\r\n",
                                       "$1\r\nab\r\n",
                                       "$2\r\na\r\n\r\n",
                                       "*-2\r\n",
                                       "*1x\r\n",
                                       "%-1\r\n",
                                       "#x\r\n",
                                       "_x\r\n",
                                       "=3\r\nabc\r\n",
                                       "=4\r\nabcd\r\n",
                                       "$?\r\n",
                                       "*1\r\n>0\r\n",
                                       "HTTP/1.1 200 OK\r\n"}) {
    EXPECT_FALSE(read_all(bytes, bytes.size())) << bytes;
    EXPECT_FALSE(read_all(bytes, 1)) << bytes;
  }
}

TEST(ReplyParser, RefusesWhatIsBeyondItsBounds) {
  EXPECT_FALSE(read_all("$65537\r\n", 100));
  EXPECT_FALSE(read_all("*4097\r\n", 100));
  EXPECT_FALSE(read_all("$99999999999999999999\r\n", 100));
  std::string deep;
  for (std::size_t i = 0; i <= ReplyParser::kDepthMax; ++i) deep += "*1\r\n";
  EXPECT_FALSE(read_all(deep, 100));
  std::string many = "*64\r\n";
  for (int i = 0; i < 64; ++i) {
    many += "*64\r\n";
    for (int j = 0; j < 64; ++j) many += ":1\r\n";
  }
  EXPECT_FALSE(read_all(many, many.size()));
  EXPECT_FALSE(read_all("+" + std::string(ReplyParser::kLineMax + 3, 'x'), 64));
  std::string large = "*3\r\n";
  for (int i = 0; i < 3; ++i) large += "$30000\r\n" + std::string(30000, 'x') + "\r\n";
  EXPECT_FALSE(read_all(large, 1000));
}

TEST(ReplyParser, TellsAReplyThatIsCut) {
  ReplyParser parser;
  std::string_view bytes = ":1\r\n";
  EXPECT_FALSE(parser.within());
  EXPECT_EQ(parser.next(bytes), Step::kReply);
  EXPECT_FALSE(parser.within());
  bytes = "*2\r\n:1\r\n";
  EXPECT_EQ(parser.next(bytes), Step::kMore);
  EXPECT_TRUE(parser.within());
}

}  // namespace
}  // namespace penstock::store::redis
