#include "config/schema.h"

#include <gtest/gtest.h>

#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

// Every object that has properties refuses others, as loading does.
void expect_closed(const Node& node) {
  if (const Member* properties = find(node, "properties"); properties != nullptr) {
    const Member* additional = find(node, "additionalProperties");
    ASSERT_NE(additional, nullptr);
    EXPECT_EQ(additional->value.text, "false");
  }
  for (const Member& member : node.members) expect_closed(member.value);
  for (const Node& item : node.items) expect_closed(item);
}

TEST(Schema, KnowsTheSectionsAndRefusesOthers) {
  const Tree tree = parse_yaml(schema());
  ASSERT_TRUE(tree.problems.empty());
  EXPECT_EQ(find(tree.root, "$schema")->value.text, "https://json-schema.org/draft/2020-12/schema");
  const Node& sections = find(tree.root, "properties")->value;
  for (const char* name : {"version", "workers", "listen", "admin", "limits", "auth", "tenants",
                           "providers", "models", "retry", "stream", "store", "telemetry"})
    EXPECT_NE(find(sections, name), nullptr) << name;
  EXPECT_EQ(find(sections, "prices"), nullptr);
  expect_closed(tree.root);
}

// An editor shows these while one types.
TEST(Schema, HasBoundsPatternsAndDefaults) {
  const Tree tree = parse_yaml(schema());
  const Node& limits = find(find(tree.root, "properties")->value, "limits")->value;
  const Node& in_flight = find(find(limits, "properties")->value, "in_flight")->value;
  EXPECT_EQ(find(in_flight, "type")->value.text, "integer");
  EXPECT_EQ(find(in_flight, "minimum")->value.text, "1");
  EXPECT_EQ(find(in_flight, "default")->value.text, "2000");
  const Node& body = find(find(limits, "properties")->value, "body_bytes")->value;
  EXPECT_EQ(find(body, "default")->value.text, "32MiB");
  EXPECT_NE(find(body, "pattern"), nullptr);
  const Node& tenants = find(find(tree.root, "properties")->value, "tenants")->value;
  const Node& tenant = find(tenants, "additionalProperties")->value;
  const Node& its = find(find(tenant, "properties")->value, "limits")->value;
  const Node& requests = find(find(its, "properties")->value, "requests")->value;
  EXPECT_EQ(find(requests, "pattern")->value.text, "^[0-9]+[kM]?/(s|min|h)$");
}

}  // namespace
}  // namespace penstock::config
