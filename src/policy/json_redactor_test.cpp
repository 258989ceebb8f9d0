#include "policy/json_redactor.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/string.h"
#include "policy/identifier_corpus.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"
#include "tests/support/seeded_rng.h"

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

// However it is cut into steps, and whether a text is looked through whole or in pieces.
TEST_F(JsonRedactorTest, LongTextsAreMaskedInPiecesAsIfWhole) {
  penstock::test::SeededRng rng(11);
  for (const bool escapes : {false, true}) {
    std::string raw = "words ";
    while (raw.size() < 3 * DocumentRedactor::kWholeBytes)
      for (const test::Sample& sample : test::identifier_corpus(rng, 200)) {
        json::append_escaped(raw, sample.text());
        raw += escapes ? R"(\n \ud83d\ude00\u0061nna\u0040example.com caf\u00e9 \ud83d )"
                       : " größe 😀 ";
      }
    std::string whole;
    ASSERT_TRUE(mask_text(all_, Writing::kJson, raw, tally_, whole));
    const std::string document =
        fmt::format(R"({{"a":["{}",1],"{}":"bob@example.com"}})", raw, raw);
    const std::string wanted = fmt::format(R"({{"a":["{}",1],"{}":"[email]"}})", whole, whole);
    ASSERT_EQ(masked(document), wanted);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{70000}}) {
      DocumentRedactor walk(all_, Document::kRequest, document, tally_);
      std::size_t steps = 1;
      while (!walk.step(bytes)) ++steps;
      EXPECT_GE(steps, document.size() / (bytes + DocumentRedactor::kWholeBytes));
      ASSERT_EQ(walk.take().masked.value_or(""), wanted);
    }
  }
}

TEST_F(JsonRedactorTest, LongCleanTextsAreNotCopied) {
  const std::string words(5 * DocumentRedactor::kWholeBytes, 'x');
  const std::string document = "{\"a\":\"" + words + "\",\"b\":\"" + words + " anna@example.com\"}";
  DocumentRedactor clean(all_, Document::kRequest, document, tally_);
  while (clean.copied() == 0 && !clean.step(1)) {
  }
  EXPECT_GT(clean.copied(), 2 * words.size());  // not before it is needed
  EXPECT_EQ(masked("[\"" + words + "\"]"), "[\"" + words + "\"]");
  EXPECT_EQ(masked(document), "{\"a\":\"" + words + "\",\"b\":\"" + words + " [email]\"}");
}

TEST_F(JsonRedactorTest, MasksNamesOfMembersToo) {
  EXPECT_EQ(masked(R"({"metadata":{"anna@example.com":1}})"), R"({"metadata":{"[email]":1}})");
}

TEST_F(JsonRedactorTest, ReadsJsonWithinStrings) {
  EXPECT_EQ(
      masked(R"({"arguments":"{\"to\":\"x\\nanna\\u0040example.com\",\"n\":4111111111111111}"})"),
      R"({"arguments":"{\"to\":\"x\\n[email]\",\"n\":[card]}"})");
}

// What looks like an account in an image's bytes is none.
TEST_F(JsonRedactorTest, ImagesSoundsAndEmbeddingsAreNotRead) {
  const std::string bytes = "iVBOR/DE89370400440532013000/" + std::string(69, 'A') + "==";
  const auto passes = [&](std::string_view format) {
    const std::string document = fmt::format(fmt::runtime(format), bytes);
    return masked(document) == document && masked(document, Document::kReply) == document;
  };
  for (const std::string_view format :
       {R"({{"image_url":{{"url":"data:image/png;base64,{}"}}}})",
        R"({{"image_url":{{"url":"data:image\/svg+xml;base64,\/{}"}}}})",
        R"({{"file":{{"file_data":"data:application/pdf;base64,{}"}}}})",
        R"({{"x":["data:audio/mp3;base64,{}"]}})",
        R"({{"input_audio":{{"format":"wav","data":"{}"}}}})",
        R"({{"message":{{"audio":{{"x":[{{}}],"d\u0061ta":"{}"}}}}}})",
        R"({{"reasoning_details":[{{"data":"{}"}}]}})", R"({{"data":[{{"embedding":"{}"}}]}})",
        R"({{"data":[{{"b64_json":"{}"}}]}})", R"([{{"signature":"{}"}}])"})
    EXPECT_TRUE(passes(format)) << format;
  for (const std::string_view format :
       {R"({{"url":"data:text/plain;base64,{}"}})", R"({{"url":"data:image/png,{}"}})",
        R"({{"url":"data:image/png;x=1;base64,{}"}})", R"({{"url":"data:;base64,{}"}})",
        R"({{"url":"data:application/x;base64,{}"}})",
        R"({{"url":"data:image/averylongname1;base64,{}"}})",
        R"({{"url":"data:image/png;base64,{} "}})", R"({{"url":"see data:image/png;base64,{}"}})",
        R"({{"data":"{}"}})", R"({{"audio":{{"text":"{}"}}}})", R"({{"content":"{}"}})",
        R"({{"embedding":"{}\n"}})", R"({{"embedding":{{"x":"{}"}}}})", R"({{"{}":1}})",
        R"({{"embedding":"a b {}"}})"})
    EXPECT_FALSE(passes(format)) << format;
  EXPECT_EQ(masked(R"({"url":"data:image/png;base64,DE89370400440532013000"})"),
            R"({"url":"data:image/png;base64,[iban]"})");  // too short for an image
  EXPECT_EQ(masked(R"({"input_audio":{"data":"4111111111111111"}})"),
            R"({"input_audio":{"data":"[card]"}})");
  const std::string long_image(3 * DocumentRedactor::kWholeBytes, 'A');
  const std::string document = fmt::format(
      R"({{"a":"data:image/png;base64,/DE89370400440532013000/{}","b":"a@example.com"}})",
      long_image);
  EXPECT_EQ(masked(document), document.substr(0, document.size() - 15) + R"([email]"})");
}

TEST_F(JsonRedactorTest, LeavesARequestsModelAlone) {
  EXPECT_EQ(masked(R"({"model":"a@example.com","x":{"model":"a@example.com"}})"),
            R"({"model":"a@example.com","x":{"model":"[email]"}})");
}

TEST_F(JsonRedactorTest, DropsTheTextTokenByToken) {
  const std::string_view reply =
      R"({"choices":[{"logprobs":{"content":[{"token":"anna@"},{"token":"example.com"}]}}],"token_ids":[1,2]})";
  EXPECT_EQ(masked(reply, Document::kReply), R"({"choices":[{"logprobs":null}],"token_ids":null})");
  EXPECT_EQ(
      masked(
          R"({"raw_output":{"completion_logprobs":{"tokens":["anna@","example.com"]}},"completion_token_ids":[1]})",
          Document::kReply),
      R"({"raw_output":{"completion_logprobs":null},"completion_token_ids":null})");
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
