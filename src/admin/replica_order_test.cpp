#include "admin/replica_order.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"
#include "fleet/provider.h"
#include "gateway/snapshot.h"

namespace penstock::admin {
namespace {

ErrorCode refusal(std::string_view body) {
  const Result<std::string> order = read_order(body);
  EXPECT_FALSE(order) << body;
  return order ? ErrorCode::kInternal : order.error().code;
}

TEST(ReplicaOrder, IsOneMember) {
  EXPECT_EQ(read_order(R"({"replica":"http:\/\/a:1"})").value_or(""), "http://a:1");
  for (const char* body : {"", "{", "{\"replica\":\"a\"} x", "\xff", "nul"})
    EXPECT_EQ(refusal(body), ErrorCode::kInvalidJson) << body;
  for (const char* body : {"{}", "[]", "null", "\"a\"", R"({"replica":1})", R"({"replicas":"a"})",
                           R"({"replica":"a","force":true})", R"({"replica":"a","replica":"b"})"})
    EXPECT_EQ(refusal(body), ErrorCode::kInvalidRequest) << body;
}

fleet::Provider provider() {
  fleet::Provider made;
  made.name = "stable";
  made.replicas.resize(3);
  made.replicas[0].url = "http://a:8000";
  made.replicas[0].name = "a:8000";
  made.replicas[1].url = "http://b:8000/one";
  made.replicas[1].name = "b:8000";
  made.replicas[2].url = "http://b:8000/two";
  made.replicas[2].name = "b:8000";
  return made;
}

TEST(ReplicaOrder, FindsAReplicaByUrlOrByAnAddressOfItsOwn) {
  const fleet::Provider stable = provider();
  EXPECT_EQ(find_replica(stable, "http://b:8000/two").value_or(9), 2U);
  EXPECT_EQ(find_replica(stable, "http://a:8000/").value_or(9), 0U);
  EXPECT_EQ(find_replica(stable, "a:8000").value_or(9), 0U);
  EXPECT_FALSE(find_replica(stable, "b:8000")) << "two replicas are meant";
  EXPECT_FALSE(find_replica(stable, ""));
}

TEST(ReplicaOrder, NamesTheNearest) {
  const Result<std::size_t> replica = find_replica(provider(), "http://a:8001");
  ASSERT_FALSE(replica);
  EXPECT_EQ(replica.error().code, ErrorCode::kNotFound);
  EXPECT_NE(replica.error().hint.find("http://a:8000"), std::string::npos);
  gateway::Snapshot snapshot;
  snapshot.provider_index["stable"] = 0;
  snapshot.providers.push_back(provider());
  EXPECT_TRUE(find_provider(snapshot, "stable"));
  const Result<const fleet::Provider*> found = find_provider(snapshot, "stabel");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().hint.find("stable"), std::string::npos);
}

}  // namespace
}  // namespace penstock::admin
