#include "app/keys.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "crypto/hex.h"
#include "crypto/random.h"
#include "crypto/sha256.h"

namespace penstock::app {
namespace {

constexpr std::size_t kKeyBytes = 32;  // 256 random bits
constexpr std::string_view kPrefix = "sk-pen-";

}  // namespace

int new_key() {
  std::array<std::byte, kKeyBytes> random;
  crypto::fill_random(random);
  const std::string key = std::string(kPrefix) + crypto::hex_encode(random);
  const std::string hash = crypto::hex_encode(crypto::sha256(key));
  fmt::print(
      "The key, shown this once:\n\n  {}\n\n"
      "For the config, under the tenant's `keys`:\n\n"
      "  - {{ id: my-key, sha256: \"{}\" }}\n\n"
      "With `workload: NAME` in it the rules of that workload hold for its callers, without it "
      "none.\n",
      key, hash);
  return 0;
}

}  // namespace penstock::app
