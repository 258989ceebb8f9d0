#include "gateway/passed_fields.h"

#include <gtest/gtest.h>

#include "wire/header_list.h"

namespace penstock::gateway {
namespace {

// RFC 9110 section 7.6.1: these concern one connection, whatever their case.
TEST(PassedFields, HopByHopFieldsStay) {
  const wire::HeaderList none;
  const PassedFields passed(none);
  for (const char* name : {"Connection", "keep-alive", "TE", "Trailer", "transfer-encoding",
                           "Upgrade", "proxy-connection", "proxy-authenticate", "Content-Length"})
    EXPECT_FALSE(passed.end_to_end(name)) << name;
  for (const char* name : {"content-type", "x-vendor", "openai-beta", "t", "te2"})
    EXPECT_TRUE(passed.end_to_end(name)) << name;
}

// What a message says of its own connection counts too, over all its Connection fields.
TEST(PassedFields, WhatConnectionNamesStays) {
  wire::HeaderList headers;
  headers.add("Connection", "close, X-Hop");
  headers.add("connection", " ,x-other ,");
  headers.add("X-Connection", "x-free");
  const PassedFields passed(headers);
  EXPECT_FALSE(passed.end_to_end("x-hop"));
  EXPECT_FALSE(passed.end_to_end("X-OTHER"));
  EXPECT_TRUE(passed.end_to_end("x-free"));
  EXPECT_TRUE(passed.end_to_end("x-ho"));
}

TEST(PassedFields, OurOwnNamesAreInternal) {
  EXPECT_TRUE(is_internal("x-penstock-provider"));
  EXPECT_TRUE(is_internal("X-Penstock-"));
  EXPECT_FALSE(is_internal("x-penstock"));
  EXPECT_FALSE(is_internal("my-x-penstock-a"));
  EXPECT_FALSE(is_internal(""));
}

// A provider learns neither who the client is nor what it authenticates with.
TEST(PassedFields, CredentialsAndOriginsArePrivate) {
  for (const char* name : {"Authorization",
                           "X-Api-Key",
                           "api-key",
                           "x-goog-api-key",
                           "Cookie",
                           "proxy-authorization",
                           "x-tenant-id",
                           "X-Forwarded-For",
                           "forwarded",
                           "via",
                           "host",
                           "accept-encoding",
                           "x-request-timeout-ms",
                           "x-penstock-label",
                           "OpenAI-Organization",
                           "openai-project",
                           "openai_project",
                           "x-goog-user-project",
                           "x-auth-token",
                           "x-amz-security-token",
                           "true-client-ip",
                           "cf-connecting-ip"})
    EXPECT_TRUE(is_private(name)) << name;
  for (const char* name : {"openai-beta", "content-type", "user-agent", "traceparent"})
    EXPECT_FALSE(is_private(name)) << name;
}

}  // namespace
}  // namespace penstock::gateway
