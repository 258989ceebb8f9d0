#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/result.h"
#include "net/tls.h"

// What TlsClient and TlsServer hold. Only .cpp files of net/ include this.
namespace penstock::net {

struct FreeSsl {
  void operator()(SSL* at) const noexcept { SSL_free(at); }
  void operator()(SSL_CTX* at) const noexcept { SSL_CTX_free(at); }
  void operator()(SSL_SESSION* at) const noexcept { SSL_SESSION_free(at); }
  void operator()(X509* at) const noexcept { X509_free(at); }
  void operator()(EVP_PKEY* at) const noexcept { EVP_PKEY_free(at); }
  void operator()(BIO* at) const noexcept { BIO_free_all(at); }
};
template <class T>
using SslOwner = std::unique_ptr<T, FreeSsl>;

// The latest session of each server, so that the next connection need not start from nothing.
// Thread-safe: all workers share it.
class SessionCache {
 public:
  static constexpr std::size_t kServersMax = 512;  // then the one stored longest ago goes

  // key: "host:port".
  void store(const std::string& key, SslOwner<SSL_SESSION> session);
  // Lets `connection`, which has not begun, resume the latest session, if there is one.
  void offer(const std::string& key, SSL& connection);
  void forget(const std::string& key);

 private:
  struct Entry {
    SslOwner<SSL_SESSION> session;
    std::uint64_t stored = 0;  // counts up
  };
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::uint64_t stored_ = 0;
};

struct TlsClient::Impl {
  SslOwner<SSL_CTX> context;
  SessionCache sessions;

  // A connection that will insist on `host` (a name or an IP literal).
  // key: "host:port", where its sessions go; outlives the connection.
  // errors: kInvalidRequest when `host` can be no server's name.
  [[nodiscard]] Result<SslOwner<SSL>> connection(const std::string& host, const std::string& key);
};

struct TlsServer::Impl {
  SslOwner<SSL_CTX> context;
  std::mutex mutex;  // for `context`, once there are connections

  // nullptr when memory is short.
  [[nodiscard]] SslOwner<SSL> connection() noexcept {
    const std::lock_guard lock(mutex);
    return SslOwner<SSL>(SSL_new(context.get()));
  }
};

// The oldest error of this thread's OpenSSL queue as a short sentence without any data, and empties
// the queue. `otherwise` when there is none.
[[nodiscard]] std::string take_ssl_error(const char* otherwise);

}  // namespace penstock::net
