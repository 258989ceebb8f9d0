#include "policy/posture.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/principal.h"

namespace penstock::policy {
namespace {

// A closed answer has a code of its own, and strangers are never served where staff are not.
TEST(Posture, EveryRowIsWhole) {
  std::set<std::string_view> seen;
  for (const PostureRow& row : posture_table()) {
    EXPECT_TRUE(seen.insert(row.what).second) << row.what;
    EXPECT_FALSE(row.told.empty()) << row.what;
    EXPECT_FALSE(row.why.empty()) << row.what;
    EXPECT_EQ(posture(row.failure, Tier::kInternal), row.internal);
    EXPECT_EQ(posture(row.failure, Tier::kExternal), row.external);
    for (const Posture posture : {row.internal, row.external}) {
      EXPECT_FALSE(name(posture).empty());
      const bool refuses = posture == Posture::kClosed || posture == Posture::kBounded;
      if (refuses) EXPECT_NE(row.code, ErrorCode::kInternal) << row.what;
    }
    if (row.internal == Posture::kClosed) EXPECT_EQ(row.external, Posture::kClosed) << row.what;
  }
}

// Whatever protects data is closed for everybody.
TEST(Posture, DataIsNeverOpen) {
  for (const Failure failure :
       {Failure::kRuleUnreadable, Failure::kRouteBarred, Failure::kSystemPromptNoPlace,
        Failure::kRedactorFailed, Failure::kTokenInvalid, Failure::kKeyUnknown,
        Failure::kUpstreamTls})
    for (const Tier tier : {Tier::kInternal, Tier::kExternal})
      EXPECT_EQ(posture(failure, tier), Posture::kClosed);
}

std::string shown(const PostureRow& row) {
  const std::string_view code =
      row.code == ErrorCode::kInternal ? std::string_view() : info(row.code).name;
  return fmt::format("| {} | {} | {} | {} | {} | {} |", row.what, name(row.internal),
                     name(row.external), code.empty() ? "–" : fmt::format("`{}`", code), row.told,
                     row.why);
}

// The operators' page says what the code says; what is not built yet stands below its own heading.
TEST(Posture, IsWhatThePageSays) {
  std::ifstream file(PENSTOCK_SOURCE_DIR "/docs/operations/failure-policy.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t later = page.find("## Not in this version");
  ASSERT_NE(later, std::string::npos);
  for (const PostureRow& row : posture_table()) {
    const std::size_t at = page.find("\n" + shown(row) + "\n");
    EXPECT_NE(at, std::string::npos) << "is not in docs/operations/failure-policy.md:\n"
                                     << shown(row);
    EXPECT_EQ(at > later, row.built == Built::kLater) << row.what;
  }
}

}  // namespace
}  // namespace penstock::policy
