#include "store/redis/error_reply.h"

#include <string_view>

#include <gtest/gtest.h>

#include "store/redis/outage.h"
#include "store/redis/slot.h"

namespace penstock::store::redis {
namespace {

TEST(ErrorReply, KnowsWhatSpeaksAgainstTheNode) {
  struct Case {
    std::string_view text;
    OutageReason reason;
    Blame blame;
  };
  for (const Case& one : {
           Case{"LOADING Redis is loading", OutageReason::kLoading, Blame::kNode},
           Case{"READONLY You can't write", OutageReason::kReadOnly, Blame::kNode},
           Case{"MASTERDOWN Link with MASTER", OutageReason::kReadOnly, Blame::kNode},
           Case{"MISCONF Redis is configured", OutageReason::kReadOnly, Blame::kNode},
           Case{"OOM command not allowed", OutageReason::kNoMemory, Blame::kNode},
           Case{"BUSY Redis is busy", OutageReason::kBusy, Blame::kNode},
           Case{"CLUSTERDOWN Hash slot not served", OutageReason::kClusterDown, Blame::kNode},
           Case{"TRYAGAIN Multiple keys", OutageReason::kClusterDown, Blame::kCall},
           Case{"WRONGPASS invalid", OutageReason::kRefused, Blame::kNode},
           Case{"NOPERM this user", OutageReason::kRefused, Blame::kNode},
           Case{"ERR user_script:3: no", OutageReason::kScript, Blame::kCall},
           Case{"WRONGTYPE Operation", OutageReason::kScript, Blame::kCall},
           Case{"", OutageReason::kScript, Blame::kCall},
       }) {
    const ErrorReply got = judge_error(one.text);
    EXPECT_EQ(got.kind, ErrorKind::kOutage) << one.text;
    EXPECT_EQ(got.reason, one.reason) << one.text;
    EXPECT_EQ(got.blame, one.blame) << one.text;
  }
  EXPECT_EQ(judge_error("NOSCRIPT No matching script.").kind, ErrorKind::kNoScript);
}

TEST(ErrorReply, ReadsRedirects) {
  const ErrorReply moved = judge_error("MOVED 3999 10.0.0.7:6381");
  EXPECT_EQ(moved.kind, ErrorKind::kMoved);
  EXPECT_EQ(moved.slot, 3999);
  EXPECT_EQ(moved.place.host, "10.0.0.7");
  EXPECT_EQ(moved.place.port, 6381);
  const ErrorReply ask = judge_error("ASK 16383 fd00::7:6381");
  EXPECT_EQ(ask.kind, ErrorKind::kAsk);
  EXPECT_EQ(ask.place.host, "fd00::7");
  EXPECT_EQ(judge_error("MOVED 1 :6381").place.host, "");  // the host that said so
}

TEST(ErrorReply, ARedirectThatCannotBeReadIsMalformed) {
  for (const std::string_view text :
       {"MOVED", "MOVED 1", "MOVED 16384 h:1", "MOVED -1 h:1", "MOVED x h:1", "MOVED 1 h",
        "MOVED 1 h:0", "MOVED 1 h:65536", "MOVED 1 h:1x", "ASK 1 ?:1", "ASK 1 a b:1",
        "MOVED 1 h@x:1", "ASK 1 h\t:1"}) {
    const ErrorReply got = judge_error(text);
    EXPECT_EQ(got.kind, ErrorKind::kOutage) << text;
    EXPECT_EQ(got.reason, OutageReason::kMalformed) << text;
  }
}

// source: the vectors of redis.io, "Redis cluster specification".
TEST(Slot, FollowsTheSpecification) {
  EXPECT_EQ(crc16("123456789"), 0x31C3);
  EXPECT_EQ(slot_of_key("{user1000}.following"), slot_of_tag("user1000"));
  EXPECT_EQ(slot_of_key("foo{}{bar}"), slot_of_tag("foo{}{bar}"));
  EXPECT_EQ(slot_of_key("foo{{bar}}zap"), slot_of_tag("{bar"));
  EXPECT_EQ(slot_of_key("foo{bar}{zap}"), slot_of_tag("bar"));
  EXPECT_EQ(slot_of_key("foo{bar"), slot_of_tag("foo{bar"));
  EXPECT_EQ(slot_of_key("foo"), 12182);
}

}  // namespace
}  // namespace penstock::store::redis
