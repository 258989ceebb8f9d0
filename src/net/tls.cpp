#include "net/tls.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/error_code.h"
#include "base/result.h"
#include "base/secret.h"
#include "net/address.h"
#include "net/tls_impl.h"

namespace penstock::net {
namespace {

// RFC 7301: each protocol behind its length. HTTP/1.1 is all that is spoken here.
constexpr std::array<unsigned char, 9> kProtocols = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
// TLS 1.2: forward secrecy and AEAD only. TLS 1.3 has nothing weaker to leave out.
constexpr const char* kCiphers12 = "ECDHE+AESGCM:ECDHE+CHACHA20";

SslOwner<BIO> memory(std::string_view text) {
  return SslOwner<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Without this OpenSSL would ask at the terminal for the passphrase of an encrypted key.
int no_passphrase(char*, int, int, void*) noexcept { return 0; }

SslOwner<X509> read_certificate(BIO& from) {
  return SslOwner<X509>(PEM_read_bio_X509(&from, nullptr, &no_passphrase, nullptr));
}

// What stopped a loop over PEM blocks: their end, or something unreadable.
bool at_end_of_pem() noexcept {
  const bool end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return end;
}

Result<SslOwner<SSL_CTX>> make_context(const SSL_METHOD* method) {
  ERR_clear_error();
  SslOwner<SSL_CTX> context(SSL_CTX_new(method));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(context.get(), kCiphers12) != 1)
    return fail(ErrorCode::kInternal, take_ssl_error("TLS cannot be set up"));
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Writes are gathered anew at each try; an idle connection keeps no record buffers.
  SSL_CTX_set_mode(context.get(), SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context.get(), 1);
  return context;
}

Result<void> trust(SSL_CTX& context, std::string_view ca_pem) {
  if (ca_pem.empty()) {
    if (SSL_CTX_set_default_verify_paths(&context) == 1) return {};
    return fail(ErrorCode::kInvalidRequest, take_ssl_error("the system has no certificates"));
  }
  const SslOwner<BIO> from = memory(ca_pem);
  X509_STORE* const store = SSL_CTX_get_cert_store(&context);
  std::size_t count = 0;
  while (const SslOwner<X509> certificate = from ? read_certificate(*from) : nullptr) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1)
      return fail(ErrorCode::kInvalidRequest,
                  take_ssl_error("a trusted certificate is not usable"));
    ++count;
  }
  if (!at_end_of_pem() || count == 0)
    return fail(ErrorCode::kInvalidRequest, "the trusted certificates are not readable as PEM");
  return {};
}

// OpenSSL hands over a reference when this returns 1. TLS 1.3 sends several after the handshake:
// the last stays.
int keep_session(SSL* connection, SSL_SESSION* session) noexcept {
  const auto* key = static_cast<const std::string*>(SSL_get_app_data(connection));
  auto* client = static_cast<TlsClient::Impl*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  if (key == nullptr || client == nullptr) return 0;
  SslOwner<SSL_SESSION> owned(session);
  try {
    client->sessions.store(*key, std::move(owned));
  } catch (const std::bad_alloc&) {
    return 1;  // the session is gone, and no longer OpenSSL's
  }
  return 1;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned offered_size, void*) noexcept {
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, chosen_size, kProtocols.data(), kProtocols.size(), offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

Result<void> use_certificate(SSL_CTX& context, std::string_view pem) {
  const SslOwner<BIO> from = memory(pem);
  const SslOwner<X509> leaf = from ? read_certificate(*from) : nullptr;
  if (!leaf || SSL_CTX_use_certificate(&context, leaf.get()) != 1) {
    ERR_clear_error();
    return fail(ErrorCode::kInvalidRequest, "the certificate is not readable as PEM");
  }
  while (const SslOwner<X509> next = read_certificate(*from)) {
    if (SSL_CTX_add1_chain_cert(&context, next.get()) != 1)
      return fail(ErrorCode::kInvalidRequest, take_ssl_error("the chain is not usable"));
  }
  if (!at_end_of_pem())
    return fail(ErrorCode::kInvalidRequest, "the certificate's chain is not readable as PEM");
  return {};
}

Result<void> use_key(SSL_CTX& context, const Secret& pem) {
  const SslOwner<BIO> from = memory(pem.reveal());
  const SslOwner<EVP_PKEY> key(
      from ? PEM_read_bio_PrivateKey(from.get(), nullptr, &no_passphrase, nullptr) : nullptr);
  if (!key) {
    ERR_clear_error();
    return fail(ErrorCode::kInvalidRequest,
                "the private key is not readable as PEM without a passphrase");
  }
  if (SSL_CTX_use_PrivateKey(&context, key.get()) != 1 ||
      SSL_CTX_check_private_key(&context) != 1) {
    ERR_clear_error();
    return fail(ErrorCode::kInvalidRequest, "the private key does not belong to the certificate");
  }
  return {};
}

}  // namespace

std::string take_ssl_error(const char* otherwise) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? otherwise : reason;
}

void SessionCache::store(const std::string& key, SslOwner<SSL_SESSION> session) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= kServersMax && !entries_.contains(key)) {
    entries_.erase(std::ranges::min_element(entries_, {},
                                            [](const auto& entry) { return entry.second.stored; }));
  }
  Entry& entry = entries_[key];
  entry.session = std::move(session);
  entry.stored = ++stored_;
}

void SessionCache::offer(const std::string& key, SSL& connection) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  // A session that cannot be used (expired, say) only costs a full handshake.
  if (SSL_SESSION_is_resumable(found->second.session.get()) != 1 ||
      SSL_set_session(&connection, found->second.session.get()) != 1)
    entries_.erase(found);
}

void SessionCache::forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  entries_.erase(key);
}

Result<SslOwner<SSL>> TlsClient::Impl::connection(const std::string& host, const std::string& key) {
  ERR_clear_error();
  SslOwner<SSL> ssl(SSL_new(context.get()));
  if (!ssl) return fail(ErrorCode::kInternal, take_ssl_error("no memory for TLS"));
  SSL_set_app_data(ssl.get(), const_cast<std::string*>(&key));
  X509_VERIFY_PARAM* const checks = SSL_get0_param(ssl.get());
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  bool named = false;
  if (const std::optional<Address> ip = parse_ip(host, 0)) {
    named = X509_VERIFY_PARAM_set1_ip(checks, ip->ip.data(), ip->v6 ? 16 : 4) == 1;
  } else {
    // A name with the root's dot is the same host, but no certificate says it so (RFC 6066, 3).
    const std::string name = host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
    named = !name.empty() && SSL_set_tlsext_host_name(ssl.get(), name.c_str()) == 1 &&
            X509_VERIFY_PARAM_set1_host(checks, name.c_str(), name.size()) == 1;
  }
  if (!named) return fail(ErrorCode::kInvalidRequest, take_ssl_error("not a server's name"));
  sessions.offer(key, *ssl);
  return ssl;
}

TlsClient::TlsClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsClient::~TlsClient() = default;

Result<std::shared_ptr<TlsClient>> TlsClient::create(std::string_view ca_pem) {
  auto impl = std::make_unique<Impl>();
  PENSTOCK_TRY(impl->context, make_context(TLS_client_method()));
  SSL_CTX& context = *impl->context;
  PENSTOCK_CHECK(trust(context, ca_pem));
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, nullptr);
  // RFC 7301 function: 0 is success here.
  if (SSL_CTX_set_alpn_protos(&context, kProtocols.data(), kProtocols.size()) != 0)
    return fail(ErrorCode::kInternal, take_ssl_error("ALPN cannot be set up"));
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(&context, &keep_session);
  SSL_CTX_set_app_data(&context, impl.get());
  return std::shared_ptr<TlsClient>(new TlsClient(std::move(impl)));
}

TlsServer::TlsServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsServer::~TlsServer() = default;

Result<std::shared_ptr<TlsServer>> TlsServer::create(std::string_view certificate_pem,
                                                     const Secret& key_pem) {
  auto impl = std::make_unique<Impl>();
  PENSTOCK_TRY(impl->context, make_context(TLS_server_method()));
  SSL_CTX& context = *impl->context;
  PENSTOCK_CHECK(use_certificate(context, certificate_pem));
  PENSTOCK_CHECK(use_key(context, key_pem));
  SSL_CTX_set_options(&context, SSL_OP_CLEANSE_PLAINTEXT);  // clients' keys are read here
  SSL_CTX_set_alpn_select_cb(&context, &choose_protocol, nullptr);
  // Sessions live in tickets at the clients; a cache here would be a lock between workers.
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  return std::shared_ptr<TlsServer>(new TlsServer(std::move(impl)));
}

void TlsServer::adopt(const TlsServer& other) noexcept {
  SSL_CTX* const next = other.impl_->context.get();
  SSL_CTX_up_ref(next);
  const std::lock_guard lock(impl_->mutex);
  impl_->context.reset(next);
}

}  // namespace penstock::net
