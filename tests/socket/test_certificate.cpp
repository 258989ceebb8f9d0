#include "tests/socket/test_certificate.h"

#include <cstdlib>
#include <string>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/secret.h"
#include "net/tls_impl.h"

namespace penstock::net {
namespace {

void must(int fine) {
  if (fine == 0) std::abort();
}

void extend(X509& certificate, int what, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, &context, what, value);
  must(made != nullptr && X509_add_ext(&certificate, made, -1) == 1);
  X509_EXTENSION_free(made);
}

std::string text_of(BIO& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

TestCertificate make_test_certificate() {
  const SslOwner<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const SslOwner<X509> certificate(X509_new());
  must(key && certificate);
  X509& it = *certificate;
  X509_set_version(&it, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(&it), 1);
  X509_gmtime_adj(X509_getm_notBefore(&it), -1800);
  X509_gmtime_adj(X509_getm_notAfter(&it), 1800);
  X509_set_pubkey(&it, key.get());
  X509_NAME* const name = X509_get_subject_name(&it);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("penstock test"), -1, -1, 0);
  X509_set_issuer_name(&it, name);
  extend(it, NID_basic_constraints, "critical,CA:TRUE");
  extend(it, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  must(X509_sign(&it, key.get(), EVP_sha256()) != 0);
  const SslOwner<BIO> certificate_text(BIO_new(BIO_s_mem()));
  const SslOwner<BIO> key_text(BIO_new(BIO_s_mem()));
  must(PEM_write_bio_X509(certificate_text.get(), &it) == 1);
  must(PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) ==
       1);
  return {text_of(*certificate_text), Secret(text_of(*key_text))};
}

}  // namespace penstock::net
