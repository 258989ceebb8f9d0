#include "base/field_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace penstock {
namespace {

// Names become labels, headers and path segments.
TEST(FieldText, NamesAreShortAndPlain) {
  for (const std::string& text : {std::string("a"), std::string("support-1"), std::string(64, 'a')})
    EXPECT_EQ(check_name(text), "") << text;
  for (const std::string& text : {std::string(), std::string("a b"), std::string("a/b"),
                                  std::string("-a"), std::string("é"), std::string(65, 'a')})
    EXPECT_NE(check_name(text), "") << text;
}

TEST(FieldText, ModelNamesMayHoldSlashesAndColons) {
  for (const char* text : {"gpt-5.1", "meta/llama:8b", "ft:gpt@x"})
    EXPECT_EQ(check_model_name(text), "") << text;
  for (const std::string& text : {std::string(), std::string("a b"), std::string("a\"b"),
                                  std::string("a\\b"), std::string("a\n"), std::string(129, 'a')})
    EXPECT_NE(check_model_name(text), "") << text;
}

TEST(FieldText, HashesAreLowerCaseHex) {
  EXPECT_EQ(check_sha256(std::string(64, 'a')), "");
  EXPECT_NE(check_sha256(std::string(64, 'A')), "");
  EXPECT_NE(check_sha256(std::string(63, 'a')), "");
  EXPECT_NE(check_sha256(std::string(65, 'a')), "");
  EXPECT_NE(check_sha256(std::string(64, 'g')), "");
}

TEST(FieldText, LogTargetsAreFourKinds) {
  for (const char* text : {"stdout", "stderr", "off", "file:access.log"})
    EXPECT_EQ(check_log_target(text), "") << text;
  for (const char* text : {"", "file:", "syslog", "Stdout"})
    EXPECT_NE(check_log_target(text), "") << text;
}

// The complaint says what to change, and never repeats a password.
TEST(FieldText, UrlsAreExplained) {
  EXPECT_EQ(check_base_url("https://api.openai.com"), "");
  EXPECT_NE(check_base_url("api.openai.com").find("http://"), std::string_view::npos);
  EXPECT_NE(check_base_url("http://u:p@host").find("password"), std::string_view::npos);
  EXPECT_NE(check_base_url("http://host?x").find("query"), std::string_view::npos);
  EXPECT_NE(check_base_url("http://host:99999").find("port"), std::string_view::npos);
}

}  // namespace
}  // namespace penstock
