#include <cstdint>
#include <fstream>
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
