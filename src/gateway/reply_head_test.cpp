#include "gateway/reply_head.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "fleet/provider.h"
#include "fleet/target.h"
#include "gateway/request_scope.h"
#include "identity/auth_config.h"
#include "tests/support/scope_rig.h"
#include "wire/header_list.h"
#include "wire/response_head.h"

namespace penstock::gateway {
namespace {

constexpr std::string_view kAsk = "GET / HTTP/1.1\r\nhost: a\r\nx-request-id: given.1_-\r\n\r\n";

struct Heads {
  std::string relayed;
  std::string heartbeat;
};

// Both heads for a request that provider "p" answers with these fields.
Heads heads(const wire::HeaderList& fields, identity::AuthMode mode = identity::AuthMode::kKeys,
            std::string_view ask = kAsk) {
  test::ScopeRig rig;
  rig.snapshot->auth = mode;
  fleet::Provider provider;
  provider.name = "p";
  fleet::Replica replica;
  replica.name = "up:8000";
  fleet::Target target;
  target.model = "upstream-name";
  Heads made;
  rig.ask(ask, [&](RequestScope& scope) {
    scope.provider = &provider;
    scope.replica = &replica;
    scope.target = &target;
    scope.attempts = 2;
    rig.loop.advance(4ms);
    scope.waited = 3ms;
    wire::ResponseHead reply;
    reply.status = 201;
    for (const wire::Header& field : fields) reply.headers.add(field.name, field.value);
    made.relayed = relayed_head(scope, reply);
    made.heartbeat = stream_head(scope);
    scope.provider = nullptr;  // they end before the scope does
    scope.replica = nullptr;
    scope.target = nullptr;
    scope.attempts = 0;
  });
  return made;
}

bool has(const std::string& head, std::string_view line) {
  return head.find("\r\n" + std::string(line)) != std::string::npos;
}

TEST(ReplyHead, KeepsStatusAndEndToEndFields) {
  wire::HeaderList fields;
  fields.add("Content-Type", "application/json");
  fields.add("x-vendor", "1");
  fields.add("x-vendor", "2");
  const std::string head = heads(fields).relayed;
  EXPECT_TRUE(head.starts_with("HTTP/1.1 201 ")) << head;
  EXPECT_TRUE(has(head, "Content-Type: application/json\r\n")) << head;
  EXPECT_TRUE(has(head, "x-vendor: 1\r\nx-vendor: 2\r\n")) << head;
}

// Framing is written anew, cookies and promises about the provider's own host are not ours to pass.
TEST(ReplyHead, DropsWhatIsNotForTheClient) {
  wire::HeaderList fields;
  for (const char* name : {"Connection", "transfer-encoding", "Content-Length", "keep-alive",
                           "Set-Cookie", "alt-svc", "Strict-Transport-Security", "X-Request-Id",
                           "X-Should-Retry", "X-Penstock-Provider", "x-hop"})
    fields.add(name, std::string_view(name) == "Connection" ? "x-hop" : "theirs");
  const std::string head = heads(fields).relayed;
  EXPECT_EQ(head.find("theirs"), std::string::npos) << head;
  EXPECT_FALSE(has(head, "Connection")) << head;
}

TEST(ReplyHead, SaysWhoAnswered) {
  const std::string head = heads(wire::HeaderList()).relayed;
  EXPECT_TRUE(has(head, "x-request-id: given.1_-\r\n"));
  EXPECT_TRUE(has(head, "x-penstock-provider: p\r\n"));
  EXPECT_TRUE(has(head, "x-penstock-replica: up:8000\r\n"));
  EXPECT_TRUE(has(head, "x-penstock-model: upstream-name\r\n"));
  EXPECT_TRUE(has(head, "x-penstock-attempts: 2\r\n"));
  EXPECT_TRUE(has(head, "x-penstock-overhead-us: 1000\r\n")) << head;
  EXPECT_FALSE(has(head, "x-penstock-mode:"));
}

// Who will have answered is not known yet when a heartbeat opens a stream.
TEST(ReplyHead, HeartbeatsHeadNamesNobody) {
  const std::string head = heads(wire::HeaderList()).heartbeat;
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(has(head, "content-type: text/event-stream\r\n"));
  EXPECT_TRUE(has(head, "x-request-id: given.1_-\r\n"));
  EXPECT_FALSE(has(head, "x-penstock-")) << head;
}

TEST(ReplyHead, DevModeIsSaid) {
  const Heads made = heads(wire::HeaderList(), identity::AuthMode::kDev);
  EXPECT_TRUE(has(made.relayed, "x-penstock-mode: dev\r\n"));
  EXPECT_TRUE(has(made.heartbeat, "x-penstock-mode: dev\r\n"));
}

// An id that could break a log line or is too long is replaced by our own.
TEST(ReplyHead, RequestIdIsKeptOnlyIfSane) {
  const std::string longest(128, 'x');
  for (const std::string& id : {std::string("a b"), std::string("a\"b"), longest + "x"}) {
    const std::string ask = "GET / HTTP/1.1\r\nhost: a\r\nx-request-id: " + id + "\r\n\r\n";
    const std::string head = heads(wire::HeaderList(), identity::AuthMode::kKeys, ask).relayed;
    EXPECT_TRUE(has(head, "x-request-id: a000000000000000b000000000000000\r\n")) << head;
  }
  const std::string ask = "GET / HTTP/1.1\r\nhost: a\r\nx-request-id: " + longest + "\r\n\r\n";
  const std::string head = heads(wire::HeaderList(), identity::AuthMode::kKeys, ask).relayed;
  EXPECT_TRUE(has(head, "x-request-id: " + longest + "\r\n"));
}

}  // namespace
}  // namespace penstock::gateway
