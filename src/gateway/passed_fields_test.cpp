#include "gateway/passed_fields.h"

#include <string>

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
    EXPECT_FALSE(passed.end_to_end(FieldName(name))) << name;
  for (const char* name : {"content-type", "x-vendor", "openai-beta", "t", "te2"})
    EXPECT_TRUE(passed.end_to_end(FieldName(name))) << name;
}

// What a message says of its own connection counts too, over all its Connection fields.
TEST(PassedFields, WhatConnectionNamesStays) {
  wire::HeaderList headers;
  headers.add("Connection", "close, X-Hop");
  headers.add("connection", " ,x-other ,");
  headers.add("X-Connection", "x-free");
  const PassedFields passed(headers);
  EXPECT_FALSE(passed.end_to_end(FieldName("x-hop")));
  EXPECT_FALSE(passed.end_to_end(FieldName("X-OTHER")));
  EXPECT_TRUE(passed.end_to_end(FieldName("x-free")));
  EXPECT_TRUE(passed.end_to_end(FieldName("x-ho")));
}

// A provider learns neither who the client is nor what it authenticates with, however the name is
// written, and answers what was asked.
TEST(PassedFields, WhatIsOfTheClientsSideIsPrivate) {
  for (const char* name : {"Authorization",
                           "X-Api-Key",
                           "api-key",
                           "x-goog-api-key",
                           "Cookie",
                           "proxy-authorization",
                           "x-authorization",
                           "x-tenant-id",
                           "X-Forwarded-For",
                           "x-forwarded-access-token",
                           "X_Forwarded_Client_Cert",
                           "forwarded",
                           "via",
                           "host",
                           "accept-encoding",
                           "content-type",
                           "content-encoding",
                           "x-request-timeout-ms",
                           "x-penstock-label",
                           "X-Penstock-",
                           "x_penstock_model",
                           "OpenAI-Organization",
                           "openai-project",
                           "openai_project",
                           "x-goog-user-project",
                           "x-goog-iap-jwt-assertion",
                           "x-auth-token",
                           "x-auth-request-access-token",
                           "cf-access-jwt-assertion",
                           "x-amzn-oidc-data",
                           "x-ms-token-aad-access-token",
                           "x-ms-client-principal",
                           "x-amz-security-token",
                           "true-client-ip",
                           "cf-connecting-ip",
                           "x-client-ip",
                           "x-original-forwarded-for",
                           "x-rewrite-url",
                           "x-http-method-override",
                           "If-None-Match",
                           "if-match",
                           "Range"})
    EXPECT_TRUE(is_private(FieldName(name))) << name;
  for (const char* name : {"openai-beta", "user-agent", "traceparent", "tracestate", "accept",
                           "x-penstock", "my-x-penstock-a", "x-stainless-lang", "ranges", "i", ""})
    EXPECT_FALSE(is_private(FieldName(name))) << name;
}

TEST(PassedFields, LongNamesAreReadByTheirBeginning) {
  const std::string tail(200, 'a');
  EXPECT_TRUE(is_private(FieldName("x-forwarded-" + tail)));
  EXPECT_FALSE(is_private(FieldName("x-api-key" + tail)));
}

// Of the account behind the gateway, of what the gateway says itself, of the provider's host.
TEST(PassedFields, WhatAProviderSaysOfItselfIsNotTheClients) {
  for (const char* name :
       {"Set-Cookie", "authorization", "x-api-key", "WWW-Authenticate", "Location", "x-request-id",
        "X-RateLimit-Remaining-Tokens", "x_penstock_model", "strict-transport-security",
        "clear-site-data", "refresh"})
    EXPECT_TRUE(is_providers_own(FieldName(name))) << name;
  for (const char* name : {"content-type", "openai-processing-ms", "openai-version", "retry-after",
                           "x-ratelimit", "server"})
    EXPECT_FALSE(is_providers_own(FieldName(name))) << name;
}

}  // namespace
}  // namespace penstock::gateway
