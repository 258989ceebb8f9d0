#pragma once

#include <string>

#include "base/secret.h"

namespace penstock::net {

// A self-signed P-256 certificate for localhost and 127.0.0.1, valid for an hour around now.
struct TestCertificate {
  std::string certificate_pem;
  Secret key_pem;
};
[[nodiscard]] TestCertificate make_test_certificate();

}  // namespace penstock::net
