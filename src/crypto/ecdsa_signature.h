#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock::crypto {

// An ECDSA signature as JOSE writes it (RFC 7518 section 3.4: r || s, both as long as the order) as
// the DER that OpenSSL reads.
//
// order:  of the curve, big-endian, in its full length.
// result: nullopt unless the length is twice the order's and both halves are within [1, order - 1]
//         (SEC 1 section 4.1.4, step 1).
[[nodiscard]] std::optional<std::string> ecdsa_der(std::string_view signature,
                                                   std::string_view order);

}  // namespace penstock::crypto
