#include "policy/json_redactor.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "policy/identifier_corpus.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {
namespace {

class JsonRedactorTest : public ::testing::Test {
 protected:
  std::string masked(std::string_view document, Document kind = Document::kRequest) {
    const RedactedDocument got = redact_document(all_, kind, document, tally_);
    EXPECT_TRUE(got.well_formed) << document;
    return got.masked.value_or(std::string(document));
  }

  const Redactor all_ = test::build(test::all_patterns());
  Tally tally_{};
};

TEST_F(JsonRedactorTest, MasksEveryStringAndLeavesOtherBytes) {
  EXPECT_EQ(
      masked(
          R"( {"model" : "m","messages":[{"content":"to \u0061nna\u0040example.com now" , "n":1e2},
    {"content":[{"type":"text","text":"4111 1111 1111 1111"}]}],"user":"536-22-8421"} )"),
      R"( {"model" : "m","messages":[{"content":"to [email] now" , "n":1e2},
    {"content":[{"type":"text","text":"[card]"}]}],"user":"[ssn]"} )");
  EXPECT_EQ(masked(R"({"a":"\u00e9\/ caf\u00e9","b":[1,2.50,null,true]})"),
            R"({"a":"\u00e9\/ caf\u00e9","b":[1,2.50,null,true]})");
}

TEST_F(JsonRedactorTest, MasksNamesOfMembersToo) {
  EXPECT_EQ(masked(R"({"metadata":{"anna@example.com":1}})"), R"({"metadata":{"[email]":1}})");
}

TEST_F(JsonRedactorTest, ReadsJsonWithinStrings) {
  EXPECT_EQ(
      masked(R"({"arguments":"{\"to\":\"x\\nanna\\u0040example.com\",\"n\":4111111111111111}"})"),
      R"({"arguments":"{\"to\":\"x\\n[email]\",\"n\":[card]}"})");
}

TEST_F(JsonRedactorTest, LeavesARequestsModelAlone) {
  EXPECT_EQ(masked(R"({"model":"a@example.com","x":{"model":"a@example.com"}})"),
            R"({"model":"a@example.com","x":{"model":"[email]"}})");
}

TEST_F(JsonRedactorTest, DropsTheTextTokenByToken) {
  const std::string_view reply =
      R"({"choices":[{"logprobs":{"content":[{"token":"anna@"},{"token":"example.com"}]}}],"token_ids":[1,2]})";
  EXPECT_EQ(masked(reply, Document::kReply), R"({"choices":[{"logprobs":null}],"token_ids":null})");
  EXPECT_EQ(masked(R"({"logprobs":true,"token_ids":null})", Document::kReply),
            R"({"logprobs":true,"token_ids":null})");
}

TEST_F(JsonRedactorTest, SaysWhatWasFoundFirst) {
  const RedactedDocument got = redact_document(
      all_, Document::kReply, R"({"a":"clean","b":"+1 415-555-2671","c":"a@example.com"})", tally_);
  ASSERT_TRUE(got.found);
  EXPECT_EQ(all_.name(*got.found), "phone");
}

TEST_F(JsonRedactorTest, WhatIsNoDocumentIsNotRead) {
  for (const char* text : {"", "anna@example.com", "{\"a\":\"anna@example.com\"", "{\"a\":1} x",
                           "{\"a\":\"\xff\"}", "{\"a\":\"\\x\"}"}) {
    const RedactedDocument got = redact_document(all_, Document::kReply, text, tally_);
    EXPECT_FALSE(got.well_formed) << text;
    EXPECT_FALSE(got.masked);
  }
}

}  // namespace
}  // namespace penstock::policy
