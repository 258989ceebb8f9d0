#include "json/writer.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "json/reader.h"

namespace penstock::json {
namespace {

TEST(Writer, PlacesCommasAtEveryLevel) {
  std::string out = ">";
  Writer writer(out);
  writer.begin_object();
  writer.key("a").begin_array().integer(1).integer(std::uint64_t{2}).begin_object().end_object();
  writer.begin_array().end_array().end_array();
  writer.key("b\"").string("x\n").key("c").null().key("d").boolean(true).key("e").boolean(false);
  writer.key("f").raw("[1.0]").key("g").number(0.5);
  writer.end_object();
  EXPECT_EQ(out,
            ">{\"a\":[1,2,{},[]],\"b\\\"\":\"x\\n\",\"c\":null,\"d\":true,\"e\":false,"
            "\"f\":[1.0],\"g\":0.5}");
}

TEST(Writer, WritesOneValueAlone) {
  std::string out;
  Writer(out).string("x");
  EXPECT_EQ(out, "\"x\"");
}

// Metrics and the ledger write extremes; each must be JSON.
TEST(Writer, WritesNumbersThatReadBack) {
  std::string out;
  Writer writer(out);
  writer.begin_array();
  writer.integer(std::numeric_limits<std::int64_t>::min());
  writer.integer(std::numeric_limits<std::uint64_t>::max());
  writer.number(1e300).number(-0.0).number(0.1).number(1.0);
  writer.number(std::numeric_limits<double>::infinity());
  writer.number(std::numeric_limits<double>::quiet_NaN());
  writer.end_array();
  EXPECT_EQ(out, "[-9223372036854775808,18446744073709551615,1e+300,-0,0.1,1,null,null]");
  EXPECT_TRUE(valid(out));
}

}  // namespace
}  // namespace penstock::json
