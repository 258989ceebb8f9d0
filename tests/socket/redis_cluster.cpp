#include "tests/socket/redis_cluster.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/redis/slot.h"
#include "tests/socket/redis_server.h"

namespace penstock::store::redis {
namespace {

bool ready(std::string_view info) {
  return info.find("cluster_state:ok") != std::string_view::npos &&
         info.find("cluster_slots_ok:16384") != std::string_view::npos;
}

}  // namespace

RedisCluster::Member RedisCluster::make_member(const ClusterTls* tls) {
  Member member;
  member.bus = free_port();
  std::vector<RedisServer::Option> options = {{"cluster-enabled", "yes"},
                                              {"cluster-port", std::to_string(member.bus)},
                                              {"cluster-node-timeout", "1000"},
                                              {"cluster-require-full-coverage", "no"}};
  if (tls != nullptr) {
    member.announced = free_port();
    const std::vector<RedisServer::Option> more = {{"tls-port", std::to_string(member.announced)},
                                                   {"tls-cluster", "yes"},
                                                   {"tls-auth-clients", "no"},
                                                   {"tls-cert-file", tls->certificate},
                                                   {"tls-key-file", tls->key},
                                                   {"tls-ca-cert-file", tls->certificate}};
    options.insert(options.end(), more.begin(), more.end());
  }
  member.server = std::make_unique<RedisServer>(std::move(options));
  if (tls == nullptr) member.announced = member.server->port();
  return member;
}

RedisCluster::RedisCluster() {
  for (Member& member : members_) member = make_member(nullptr);
  meet();
}

RedisCluster::RedisCluster(const ClusterTls& tls) {
  for (Member& member : members_) member = make_member(&tls);
  meet();
}

void RedisCluster::meet() const {
  for (std::size_t i = 0; i < kNodes; ++i) {
    const std::string first = std::to_string(first_slot(i));
    const std::string last = std::to_string(first_slot(i + 1) - 1);
    EXPECT_EQ(ask(i, fmt::format("CLUSTER ADDSLOTSRANGE {} {}", first, last)), "OK");
    EXPECT_EQ(ask(i, "CLUSTER SET-CONFIG-EPOCH " + std::to_string(i + 1)), "OK");
  }
  for (std::size_t i = 1; i < kNodes; ++i)
    EXPECT_EQ(ask(0, "CLUSTER MEET 127.0.0.1 " + std::to_string(port(i)) + " " +
                         std::to_string(members_[i].bus)),
              "OK");
  for (std::size_t i = 0; i < kNodes; ++i)
    while (!ready(ask(i, "CLUSTER INFO"))) continue;  // two seconds, says Redis
}

std::uint32_t RedisCluster::first_slot(std::size_t node) {
  return static_cast<std::uint32_t>(kSlots * node / kNodes);
}

std::size_t RedisCluster::owner(std::string_view tag) {
  std::size_t node = 0;
  while (first_slot(node + 1) <= slot_of_tag(tag)) ++node;
  return node;
}

std::string RedisCluster::tag_of(std::size_t node) {
  int i = 0;
  while (owner("tenant-" + std::to_string(i)) != node) ++i;
  return "tenant-" + std::to_string(i);
}

}  // namespace penstock::store::redis
