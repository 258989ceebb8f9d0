#include "control/deadline.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/units.h"
#include "control/call_kind.h"

namespace penstock::control {
namespace {

constexpr Duration kLongest = 600s;

Duration unary_total(const PatienceHeaders& headers) {
  return patience(headers, CallKind::kUnary, kLongest).value().total;
}

// No word from the client: the model's deadline.
TEST(Patience, DefaultsToTheModelsDeadline) {
  const Patience stream = patience({}, CallKind::kStream, kLongest).value();
  EXPECT_EQ(stream.total, kLongest);
  EXPECT_FALSE(stream.first_content.has_value());
  EXPECT_EQ(unary_total({}), kLongest);
}

// Our own header wins over the hints, for both kinds, and never lengthens.
TEST(Patience, OurOwnHeaderWins) {
  const PatienceHeaders headers{.request_timeout_ms = "1500", .stainless_timeout = "3"};
  EXPECT_EQ(unary_total(headers), 1500ms);
  const Patience stream = patience(headers, CallKind::kStream, kLongest).value();
  EXPECT_EQ(stream.total, 1500ms);
  EXPECT_FALSE(stream.first_content.has_value());
  EXPECT_EQ(unary_total({.request_timeout_ms = "600001"}), kLongest);
  EXPECT_EQ(unary_total({.request_timeout_ms = "600000"}), kLongest);
  EXPECT_EQ(unary_total({.request_timeout_ms = "1"}), 1ms);
  const std::string long_number(5000, '9');
  EXPECT_EQ(unary_total({.request_timeout_ms = long_number}), kLongest);
}

// Ours is strict: what is not a whole number above 0 is the client's mistake, and named.
TEST(Patience, OurOwnHeaderIsStrict) {
  for (const std::string_view bad :
       {"", "0", "00", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "1500ms", "nan", "\xd9\xa1"}) {
    const Result<Patience> result =
        patience({.request_timeout_ms = bad}, CallKind::kUnary, kLongest);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidRequest);
    EXPECT_EQ(result.error().param, "x-request-timeout-ms");
  }
}

// The SDK's hints: read-timeout before timeout, seconds with a fraction.
TEST(Patience, HintsBoundAUnaryCall) {
  EXPECT_EQ(unary_total({.stainless_timeout = "30"}), 30s);
  EXPECT_EQ(unary_total({.stainless_read_timeout = "600.0"}), 600s);
  EXPECT_EQ(unary_total({.stainless_read_timeout = "0.25", .stainless_timeout = "9"}), 250ms);
  EXPECT_EQ(unary_total({.stainless_timeout = "0.0000000019"}), 1ns);
  EXPECT_EQ(unary_total({.stainless_timeout = "601"}), kLongest);
  EXPECT_EQ(unary_total({.stainless_timeout = "600.5"}), kLongest);
  EXPECT_EQ(unary_total({.stainless_timeout = "99999999999999999999"}), kLongest);
}

// For a stream they say only how long its beginning may take.
TEST(Patience, HintsBoundOnlyTheBeginningOfAStream) {
  const Patience stream =
      patience({.stainless_read_timeout = "12.5"}, CallKind::kStream, kLongest).value();
  EXPECT_EQ(stream.total, kLongest);
  EXPECT_EQ(stream.first_content, 12500ms);
}

// A hint that is no number above zero is no hint: an SDK's quirk must not refuse a request.
TEST(Patience, MalformedHintsAreNoHints) {
  for (const std::string_view bad :
       {"", "None", "0", "0.0", ".5", "5.", "1.2.3", "-3", "1e-05", "inf", "1.123456789x"}) {
    EXPECT_EQ(unary_total({.stainless_timeout = bad}), kLongest) << bad;
    EXPECT_EQ(unary_total({.stainless_read_timeout = bad, .stainless_timeout = "7"}), 7s) << bad;
  }
}

}  // namespace
}  // namespace penstock::control
