#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace penstock::net {

// What upstream TLS connections share: trust, and sessions to resume. Thread-safe. Verification of
// chain and name is always on; TLS 1.2 and up.
class TlsClient {
 public:
  // ca_pem: certificates to trust; empty: the system's. errors: kInvalidRequest.
  [[nodiscard]] static Result<std::shared_ptr<TlsClient>> create(std::string_view ca_pem);
  ~TlsClient();

  struct Impl;
  [[nodiscard]] Impl& impl() const noexcept { return *impl_; }

 private:
  explicit TlsClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A listener's certificate and key. Thread-safe.
class TlsServer {
 public:
  // errors: kInvalidRequest, saying which of the two cannot be used.
  [[nodiscard]] static Result<std::shared_ptr<TlsServer>> create(std::string_view certificate_pem,
                                                                 const Secret& key_pem);
  ~TlsServer();

  // From the next handshake on, the other's certificate and key are shown. Connections keep theirs.
  void adopt(const TlsServer& other) noexcept;

  struct Impl;
  [[nodiscard]] Impl& impl() const noexcept { return *impl_; }

 private:
  explicit TlsServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::net
