#include "identity/credentials.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"

namespace penstock::identity {
namespace {

Result<std::string_view> by_authorization(std::string_view value) {
  return presented_key({.authorization = value, .authorization_count = 1});
}

void expect_refused(const Result<std::string_view>& result, std::string_view what) {
  ASSERT_FALSE(result.has_value()) << what;
  EXPECT_EQ(result.error().code, ErrorCode::kUnauthenticated) << what;
}

// Each SDK puts its key where its own provider wants it.
TEST(Credentials, AcceptsEveryPlaceOfAKey) {
  EXPECT_EQ(by_authorization("Bearer sk-1").value(), "sk-1");
  EXPECT_EQ(presented_key({.x_api_key = "sk-1"}).value(), "sk-1");
  EXPECT_EQ(presented_key({.api_key = "sk-1"}).value(), "sk-1");
  EXPECT_EQ(presented_key({.x_goog_api_key = "sk-1"}).value(), "sk-1");
}

// RFC 9110: the scheme ignores case and one or more spaces follow it.
TEST(Credentials, ReadsTheSchemeInAnyCase) {
  for (const std::string_view value : {"bearer sk-1", "BEARER sk-1", "bEaReR   sk-1"})
    EXPECT_EQ(by_authorization(value).value(), "sk-1") << value;
}

// Another scheme is refused even beside a good key: the client means something else.
TEST(Credentials, RefusesOtherSchemes) {
  for (const std::string_view value : {"Basic c2s6MQ==", "sk-1", "Bearersk-1", "Bearer", "",
                                       " Bearer sk-1", "Bearer\tsk-1", "Beare sk-1", "Digest sk-1"})
    expect_refused(by_authorization(value), value);
  expect_refused(presented_key({.authorization = "Basic x", .x_api_key = "sk-1"}), "beside");
}

// Cut at every byte, a header is never read as another key than its own beginning.
TEST(Credentials, TreatsEachPrefixOnItsOwn) {
  const std::string_view whole = "Bearer sk-12";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const auto result = by_authorization(whole.substr(0, cut));
    if (cut <= std::string_view("Bearer ").size())
      expect_refused(result, whole.substr(0, cut));
    else
      EXPECT_EQ(result.value(), whole.substr(7, cut - 7));
  }
}

// Two parties that read different ones of two credentials is how access is smuggled.
TEST(Credentials, RefusesContradictions) {
  EXPECT_EQ(presented_key({.authorization = "Bearer sk-1",
                           .x_api_key = "sk-1",
                           .api_key = "sk-1",
                           .x_goog_api_key = "sk-1"})
                .value(),
            "sk-1");
  expect_refused(presented_key({.authorization = "Bearer sk-1", .x_api_key = "sk-2"}), "x-api-key");
  expect_refused(presented_key({.x_api_key = "sk-1", .api_key = "sk-2"}), "api-key");
  expect_refused(presented_key({.api_key = "sk-1", .x_goog_api_key = "sk-10"}), "length");
  expect_refused(presented_key({.authorization = "Bearer sk-1", .x_api_key = ""}), "empty");
  expect_refused(presented_key({.authorization = "Bearer sk-1", .authorization_count = 2}), "two");
  expect_refused(presented_key({.x_api_key = "sk-1", .repeats = Repeats::kDiffer}), "repeats");
}

// Nothing, blanks, control bytes and endless ones are refused before they are hashed.
TEST(Credentials, RefusesWhatCannotBeAKey) {
  expect_refused(presented_key({}), "none");
  for (const std::string_view value : {"", " ", "sk 1", "sk\t1", "sk\x7F", "sk\xC3\xA9", "sk-1 "})
    expect_refused(presented_key({.x_api_key = value}), value);
  const std::string longest(kKeyBytesMax, 'k');
  EXPECT_EQ(presented_key({.x_api_key = longest}).value(), longest);
  const std::string longer(kKeyBytesMax + 1, 'k');
  expect_refused(presented_key({.x_api_key = longer}), "513 bytes");
}

}  // namespace
}  // namespace penstock::identity
