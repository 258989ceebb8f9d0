#include "store/redis/script.h"

#include <string>
#include <string_view>

#include "crypto/hex.h"
#include "crypto/sha1.h"

namespace penstock::store::redis {
namespace {

// "#!lua" (Redis 7 and up) makes the store judge the whole script before it runs: as one that
// writes, so that a replica or a full memory refuses it with nothing done.
constexpr std::string_view kPrelude = "#!lua\nlocal id = table.remove(ARGV)\n";

}  // namespace

Script::Script(std::string_view body)
    : source_(std::string(kPrelude).append(body)),
      sha_(crypto::hex_encode(crypto::sha1(source_))) {}

}  // namespace penstock::store::redis
