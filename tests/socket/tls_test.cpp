#include "net/tls.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "base/secret.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/tcp_listener.h"
#include "net/tls_impl.h"
#include "net/tls_stream.h"
#include "runtime/cancellation.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/socket/loop_thread.h"
#include "tests/socket/test_certificate.h"

namespace penstock::net {
namespace {

class TlsSocket : public testing::Test {
 protected:
  TlsSocket() : loop_(clock_), certificate_(make_test_certificate()) {
    client_ = TlsClient::create(certificate_.certificate_pem).value();
    server_ = TlsServer::create(certificate_.certificate_pem, certificate_.key_pem).value();
  }

  runtime::Task<Pair> connect() {
    return connect_pair(loop_, "localhost", client_.get(), server_.get());
  }
  // Dials a server that is not to be trusted, or not as `host`.
  runtime::Task<void> expect_refused(const TlsClient& client, std::string host) {
    OneListener listener(loop_, ListenerOptions{.tls = server_.get()});
    runtime::Cancellation cancellation;
    const runtime::CallContext context{cancellation};
    Origin origin{.host = std::move(host), .port = listener.bound.port, .tls = &client};
    const Dialled dialled = co_await dial_here(loop_, std::move(origin), 10s, context);
    EXPECT_EQ(dialled.end, DialEnd::kTls);
    EXPECT_EQ(dialled.stream, nullptr);
    EXPECT_FALSE(dialled.detail.empty());
    co_await listener.close();
  }
  runtime::Task<void> echo_large();
  runtime::Task<void> cut_short();
  runtime::Task<void> resume();
  runtime::Task<void> cancel_both();
  runtime::Task<void> read_after_cancelled_read();
  runtime::Task<void> silent_server();
  runtime::Task<void> silent_client();
  runtime::Task<void> cancelled_dial();

  runtime::SystemClock clock_;
  runtime::AsioLoop loop_;
  TestCertificate certificate_;
  std::shared_ptr<TlsClient> client_;
  std::shared_ptr<TlsServer> server_;
};

runtime::Task<void> write_all(ByteStream& stream, std::string bytes, IoResult& result) {
  const std::string_view all = bytes;
  const std::array pieces = {all.substr(0, 3), all.substr(3, 40'000), all.substr(40'003)};
  result = co_await Write(stream, pieces);
  if (result.end == IoEnd::kOk) stream.shut_down_writing();
}

runtime::Task<void> read_some(ByteStream& stream, Received& received) {
  received = co_await receive(stream, 1);
}

runtime::Task<void> TlsSocket::echo_large() {
  const Pair pair = co_await connect();
  if (pair.client == nullptr || pair.server == nullptr) co_return;
  std::string sent(8'000'000, 'x');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>('a' + i % 23);
  IoResult up;
  IoResult down;
  runtime::TaskGroup writing;
  writing.spawn(write_all(*pair.client, sent, up));
  EXPECT_EQ(writing.running(), 1U);  // waits for the reader
  const Received at_server = co_await receive(*pair.server, sent.size() + 1);
  writing.spawn(write_all(*pair.server, at_server.bytes, down));
  const Received at_client = co_await receive(*pair.client, sent.size() + 1);
  co_await writing.join();
  EXPECT_EQ(up.bytes, sent.size());
  EXPECT_EQ(down.bytes, sent.size());
  EXPECT_EQ(at_server.end, IoEnd::kEof);
  EXPECT_EQ(at_client.end, IoEnd::kEof);
  EXPECT_TRUE(at_client.bytes == sent);
}

// Many records, waits on both sides, and a proper end that each side sees, half-closed between.
TEST_F(TlsSocket, EchoesMoreThanTheKernelHolds) { run_to_end(loop_, echo_large()); }

runtime::Task<void> TlsSocket::cut_short() {
  Pair pair = co_await connect();
  if (pair.client == nullptr || pair.server == nullptr) co_return;
  EXPECT_EQ((co_await send(*pair.server, "half a rep")).end, IoEnd::kOk);
  pair.server.reset();
  const Received got = co_await receive(*pair.client, 100);
  EXPECT_EQ(got.bytes, "half a rep");
  EXPECT_EQ(got.end, IoEnd::kReset);
}

// A reply framed by the connection's end must not be cut by whoever sits between.
TEST_F(TlsSocket, EndWithoutCloseNotifyIsAReset) { run_to_end(loop_, cut_short()); }

// A certificate from elsewhere must never do.
TEST_F(TlsSocket, RefusesAnUnknownAuthority) {
  const TestCertificate other = make_test_certificate();
  const std::shared_ptr<TlsClient> client = TlsClient::create(other.certificate_pem).value();
  run_to_end(loop_, expect_refused(*client, "localhost"));
}

// A good certificate of another host must not do either.
TEST_F(TlsSocket, RefusesAnotherName) {
  run_to_end(loop_, expect_refused(*client_, "other.example"));
}

runtime::Task<void> expect_connects(runtime::Task<Pair> connecting) {
  const Pair pair = co_await std::move(connecting);
  EXPECT_NE(pair.client, nullptr);
}

// A literal is checked against the certificate's addresses, not its names.
TEST_F(TlsSocket, AcceptsAnAddressThatTheCertificateNames) {
  run_to_end(loop_,
             expect_connects(connect_pair(loop_, "127.0.0.1", client_.get(), server_.get())));
}

// Keeps the host that a client's hello names. OpenSSL asks at every hello, also without one.
int keep_server_name(SSL* connection, int*, void* kept) noexcept {
  const char* const name = SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
  *static_cast<std::string*>(kept) = name == nullptr ? "none" : name;
  return SSL_TLSEXT_ERR_OK;
}

// By this name a server of many hosts picks its certificate; literals have no place in it, and the
// root's dot neither (RFC 6066, section 3).
TEST_F(TlsSocket, TheHelloNamesTheHostButNoAddress) {
  SSL_CTX* const context = server_->impl().context.get();
  std::string seen;
  SSL_CTX_set_tlsext_servername_callback(context, &keep_server_name);
  SSL_CTX_set_tlsext_servername_arg(context, &seen);
  run_to_end(loop_, expect_connects(connect()));
  EXPECT_EQ(seen, "localhost");
  run_to_end(loop_,
             expect_connects(connect_pair(loop_, "localhost.", client_.get(), server_.get())));
  EXPECT_EQ(seen, "localhost");
  run_to_end(loop_,
             expect_connects(connect_pair(loop_, "127.0.0.1", client_.get(), server_.get())));
  EXPECT_EQ(seen, "none");
}

runtime::Task<void> TlsSocket::resume() {
  OneListener listener(loop_, ListenerOptions{.tls = server_.get()});
  runtime::Cancellation cancellation;
  const runtime::CallContext context{cancellation};
  for (const bool resumed : {false, true, true}) {
    listener.arrived = Signal();
    Origin origin{.host = "localhost", .port = listener.bound.port, .tls = client_.get()};
    const Dialled dialled = co_await dial_here(loop_, std::move(origin), 10s, context);
    EXPECT_EQ(dialled.end, DialEnd::kConnected);
    if (dialled.stream == nullptr) break;
    EXPECT_EQ(static_cast<TlsStream&>(*dialled.stream).resumed(), resumed);
    co_await listener.arrived;
    // TLS 1.3 brings the tickets before the first bytes.
    EXPECT_EQ((co_await send(*listener.taken, "x")).end, IoEnd::kOk);
    EXPECT_EQ((co_await receive(*dialled.stream, 1)).bytes, "x");
  }
  co_await listener.close();
}

// A full handshake costs a signature and a chain: paid once for a server, not at every dial.
TEST_F(TlsSocket, TheSecondDialResumesTheSession) { run_to_end(loop_, resume()); }

runtime::Task<void> TlsSocket::cancel_both() {
  const Pair pair = co_await connect();
  if (pair.client == nullptr || pair.server == nullptr) co_return;
  IoResult written;
  Received read;
  runtime::TaskGroup tasks;
  tasks.spawn(write_all(*pair.client, std::string(8'000'000, 'x'), written));
  tasks.spawn(read_some(*pair.client, read));
  pair.client->cancel();
  co_await tasks.join();
  EXPECT_EQ(written.end, IoEnd::kCancelled);
  EXPECT_EQ(read.end, IoEnd::kCancelled);
  EXPECT_EQ((co_await receive(*pair.client, 1)).end, IoEnd::kCancelled);
}

// Both directions may be pending at once; a cancel ends both and stays.
TEST_F(TlsSocket, CancelEndsBothDirections) { run_to_end(loop_, cancel_both()); }

runtime::Task<void> TlsSocket::read_after_cancelled_read() {
  const Pair pair = co_await connect();
  if (pair.client == nullptr || pair.server == nullptr) co_return;
  IoResult written;
  Received read;
  runtime::TaskGroup tasks;
  tasks.spawn(write_all(*pair.client, std::string(8'000'000, 'x'), written));
  tasks.spawn(read_some(*pair.client, read));
  pair.client->cancel_read();
  const Received got = co_await receive(*pair.server, 8'000'001);
  co_await tasks.join();
  EXPECT_EQ(read.end, IoEnd::kCancelled);
  EXPECT_EQ(written.end, IoEnd::kOk);
  EXPECT_EQ(got.bytes.size(), 8'000'000U);
  EXPECT_EQ((co_await send(*pair.server, "late")).end, IoEnd::kOk);
  EXPECT_EQ((co_await receive(*pair.client, 4)).bytes, "late");
}

// Ending a read harms neither the write under way nor the connection.
TEST_F(TlsSocket, CancelReadHarmsNothingElse) { run_to_end(loop_, read_after_cancelled_read()); }

runtime::Task<void> TlsSocket::silent_server() {
  OneListener listener(loop_, ListenerOptions{});  // plain: it will never say hello
  runtime::Cancellation cancellation;
  const runtime::CallContext context{cancellation};
  Origin origin{.host = "localhost", .port = listener.bound.port, .tls = client_.get()};
  const Dialled dialled = co_await dial_here(loop_, std::move(origin), 20ms, context);
  EXPECT_EQ(dialled.end, DialEnd::kTimedOut);
  co_await listener.close();
}

// A server that accepts and then says nothing must not hold the attempt.
TEST_F(TlsSocket, HandshakeEndsWithTheTimeout) { run_to_end(loop_, silent_server()); }

runtime::Task<void> cancel_at(Signal& when, runtime::Cancellation& cancellation) {
  co_await when;
  cancellation.request(runtime::StopReason::kClientGone);
}

runtime::Task<void> TlsSocket::cancelled_dial() {
  OneListener listener(loop_, ListenerOptions{});
  runtime::Cancellation cancellation;
  const runtime::CallContext context{cancellation};
  runtime::TaskGroup tasks;
  tasks.spawn(cancel_at(listener.arrived, cancellation));
  Origin origin{.host = "localhost", .port = listener.bound.port, .tls = client_.get()};
  const Dialled dialled = co_await dial_here(loop_, std::move(origin), 10s, context);
  EXPECT_EQ(dialled.end, DialEnd::kCancelled);
  co_await tasks.join();
  co_await listener.close();
}

// A client that left must not leave a handshake behind.
TEST_F(TlsSocket, CancelEndsAHandshake) { run_to_end(loop_, cancelled_dial()); }

runtime::Task<void> TlsSocket::silent_client() {
  ListenerOptions options{.tls = server_.get()};
  options.handshake_wait = 20ms;
  OneListener listener(loop_, options);
  runtime::Cancellation cancellation;
  const runtime::CallContext context{cancellation};
  Origin origin{.host = "localhost", .port = listener.bound.port};
  const Dialled silent = co_await dial_here(loop_, origin, 10s, context);
  Origin secure{.host = "localhost", .port = listener.bound.port, .tls = client_.get()};
  const Dialled other = co_await dial_here(loop_, std::move(secure), 10s, context);
  EXPECT_EQ(other.end, DialEnd::kConnected);  // though the first still says nothing
  EXPECT_EQ(silent.end, DialEnd::kConnected);
  if (silent.stream == nullptr) co_return;
  EXPECT_EQ((co_await receive(*silent.stream, 1)).end, IoEnd::kEof);
  co_await listener.arrived;
  co_await listener.close();
}

// A client that never starts its handshake holds up nobody and is closed in time.
TEST_F(TlsSocket, SilentClientIsClosedAndHoldsUpNobody) { run_to_end(loop_, silent_client()); }

// A wrong file should be found at start, with the half named that is wrong.
TEST_F(TlsSocket, RefusesUnusablePem) {
  const TestCertificate other = make_test_certificate();
  const Secret nonsense("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
  EXPECT_FALSE(TlsServer::create("", certificate_.key_pem));
  EXPECT_FALSE(TlsServer::create(certificate_.certificate_pem, nonsense));
  EXPECT_FALSE(TlsServer::create(certificate_.certificate_pem, other.key_pem));
  EXPECT_FALSE(TlsClient::create("no certificate"));
  EXPECT_FALSE(TlsClient::create(certificate_.certificate_pem.substr(0, 100)));
}

}  // namespace
}  // namespace penstock::net
