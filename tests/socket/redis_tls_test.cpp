#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/secret.h"
#include "base/units.h"
#include "net/tls.h"
#include "runtime/task.h"
#include "store/redis/client.h"
#include "store/redis/endpoint.h"
#include "store/redis/outage.h"
#include "store/redis/script.h"
#include "tests/socket/redis_cluster.h"
#include "tests/socket/redis_rig.h"
#include "tests/socket/redis_server.h"
#include "tests/socket/test_certificate.h"

namespace penstock::store::redis {
namespace {

using runtime::Task;

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
}

// A Redis that speaks TLS only, with a certificate for localhost and 127.0.0.1.
struct TlsRedis {
  TlsRedis() : certificate(net::make_test_certificate()) {
    write_file(server.folder() + "/cert.pem", certificate.certificate_pem);
    write_file(server.folder() + "/key.pem", certificate.key_pem.reveal());
    const std::string port = std::to_string(tls_port);
    for (const std::string& command :
         {"CONFIG SET tls-cert-file " + server.folder() + "/cert.pem tls-key-file " +
              server.folder() + "/key.pem tls-ca-cert-file " + server.folder() +
              "/cert.pem tls-auth-clients no",
          "CONFIG SET tls-port " + port, std::string("ACL SETUSER gate on >word ~test:* &* +@all"),
          std::string("ACL SETUSER default resetkeys")})
      EXPECT_EQ(server.ask(command), "OK") << command;
  }

  [[nodiscard]] Endpoint endpoint(std::string host, std::string_view ca_pem) const {
    Endpoint made;
    made.host = std::move(host);
    made.port = tls_port;
    made.user = "gate";
    made.password = Secret("word");
    made.encrypted = true;
    Result<std::shared_ptr<net::TlsClient>> client = net::TlsClient::create(ca_pem);
    EXPECT_TRUE(client.has_value());
    if (client) made.tls = *std::move(client);
    return made;
  }

  net::TestCertificate certificate;
  RedisServer server;
  std::uint16_t tls_port = free_port();
};

Task<void> expect_answer(RedisRig& rig) {
  const std::optional<Duration> took = co_await rig.until_answered("acme", 2s);
  EXPECT_TRUE(took.has_value());
}

Task<void> expect_refused(RedisRig& rig) {
  while (rig.client.available("acme")) {
    std::vector<std::string> arguments = {"x"};
    const RunResult result = co_await rig.run(rig.echo, "acme", std::move(arguments));
    EXPECT_FALSE(result.has_value());
    if (result) co_return;
  }
}

TEST(RedisTls, TrustsTheGivenAuthorityAndNoOther) {
  const TlsRedis redis;
  for (const char* host : {"localhost", "127.0.0.1"}) {
    RedisRig right(redis.endpoint(host, redis.certificate.certificate_pem), 1s);
    right.play(expect_answer(right));
  }
  const net::TestCertificate other = net::make_test_certificate();
  RedisRig wrong(redis.endpoint("localhost", other.certificate_pem), 1s);
  wrong.play(expect_refused(wrong));
  EXPECT_EQ(wrong.log.count("\"why\":\"refused\""), 1);
  EXPECT_GE(wrong.standing.failures(OutageReason::kRefused), 1U);
}

// Without a CA of ours the system's are trusted, and none of them signed this.
TEST(RedisTls, TheSystemsAuthoritiesDoNotVouchForIt) {
  const TlsRedis redis;
  RedisRig rig(redis.endpoint("localhost", ""), 1s);
  rig.play(expect_refused(rig));
  EXPECT_GE(rig.standing.failures(OutageReason::kRefused), 1U);
}

Task<void> add_one(RedisRig& rig, const Script& add, std::string tag, std::int64_t expected) {
  const RunResult result = co_await rig.run(add, tag, {});
  EXPECT_TRUE(result.has_value()) << tag;
  if (result) EXPECT_EQ(result->front().integer, expected) << tag;
}

Task<void> use_all_nodes(RedisRig& rig, RedisCluster& cluster, const Script& add) {
  for (std::int64_t round = 1; round <= 2; ++round)
    for (std::size_t i = 0; i < RedisCluster::kNodes; ++i)
      co_await add_one(rig, add, RedisCluster::tag_of(i), round);
  cluster.node(2).kill();
  std::vector<std::string> arguments = {"x"};
  const RunResult lost = co_await rig.run(rig.echo, RedisCluster::tag_of(2), std::move(arguments));
  EXPECT_FALSE(lost.has_value());
  cluster.node(2).start();
  const std::optional<Duration> back = co_await rig.until_answered(RedisCluster::tag_of(2), 10s);
  EXPECT_TRUE(back.has_value());
}

// Redirects name the encrypted ports, and whoever answers there is looked at like the first.
TEST(RedisTls, EveryNodeOfAClusterIsReachedOverTls) {
  const TlsRedis files;
  RedisCluster cluster({files.server.folder() + "/cert.pem", files.server.folder() + "/key.pem"});
  const Script add("return {id, redis.call('INCR', KEYS[1])}");
  Endpoint endpoint = files.endpoint("127.0.0.1", files.certificate.certificate_pem);
  endpoint.port = cluster.port(0);
  endpoint.user.clear();
  endpoint.password = Secret();
  RedisRig rig(std::move(endpoint), 1s);
  rig.play(use_all_nodes(rig, cluster, add));
  for (std::size_t i = 0; i < RedisCluster::kNodes; ++i)
    EXPECT_NE(cluster.port(i), cluster.node(i).port());
  EXPECT_EQ(rig.standing.failures(OutageReason::kRefused), 0U);
}

// What says redis:// does not reach a TLS port, and the other way round.
TEST(RedisTls, PlainAndEncryptedDoNotMix) {
  const TlsRedis redis;
  RedisRig plain(endpoint_at(redis.tls_port));
  plain.play(expect_refused(plain));
  Endpoint encrypted = redis.endpoint("localhost", redis.certificate.certificate_pem);
  encrypted.port = redis.server.port();
  RedisRig rig(std::move(encrypted));
  rig.play(expect_refused(rig));
}

}  // namespace
}  // namespace penstock::store::redis
