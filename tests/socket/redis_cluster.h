#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tests/socket/redis_server.h"

namespace penstock::store::redis {

// Files of a certificate that speaks for 127.0.0.1 and is its own authority.
struct ClusterTls {
  std::string certificate;
  std::string key;
};

// Three masters that share all slots. With TLS they announce their encrypted ports, and speak TLS
// among themselves; commands of the test go to the plain ones.
class RedisCluster {
 public:
  static constexpr std::size_t kNodes = 3;

  RedisCluster();
  explicit RedisCluster(const ClusterTls& tls);

  // The first slot of that node; of the one behind the last, the count of slots.
  [[nodiscard]] static std::uint32_t first_slot(std::size_t node);
  [[nodiscard]] static std::size_t owner(std::string_view tag);
  // A tag whose slot belongs to that node.
  [[nodiscard]] static std::string tag_of(std::size_t node);

  // Where clients find the node, over TLS if that is what it speaks.
  [[nodiscard]] std::uint16_t port(std::size_t node) const { return members_[node].announced; }
  [[nodiscard]] RedisServer& node(std::size_t node) { return *members_[node].server; }
  [[nodiscard]] std::string id(std::size_t node) const { return ask(node, "CLUSTER MYID"); }
  std::string ask(std::size_t node, std::string_view command) const {
    return members_[node].server->ask(command);
  }

 private:
  struct Member {
    std::unique_ptr<RedisServer> server;
    std::uint16_t announced = 0;
    std::uint16_t bus = 0;
  };

  [[nodiscard]] static Member make_member(const ClusterTls* tls);
  void meet() const;

  std::array<Member, kNodes> members_;
};

}  // namespace penstock::store::redis
