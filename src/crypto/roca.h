#pragma once

#include <string_view>

namespace penstock::crypto {

// Whether an RSA modulus was made by the library whose primes all have one form (CVE-2017-15361,
// "ROCA"), so that it can be factored: modulo each small prime it is a power of 65537. A sound
// modulus looks so once in about 2^150.
// source: Nemec, Sys, Svenda, Klinec, Matyas, "The Return of Coppersmith's Attack", CCS 2017,
//         section 2.3.
[[nodiscard]] bool is_roca_modulus(std::string_view big_endian) noexcept;

}  // namespace penstock::crypto
