// rooms: wire base
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "wire/framing.h"
#include "wire/head_limits.h"
#include "wire/response_head.h"

// Reads a reply head whole and byte by byte, each step in a buffer of its own: both must come to
// the same end.
namespace {

using penstock::wire::Framing;
using penstock::wire::HeadLimits;
using penstock::wire::RequestMethod;
using penstock::wire::ResponseHead;
using penstock::wire::ResponseHeadParser;

constexpr HeadLimits kLimits{.header_bytes = 512, .target_bytes = 1, .fields = 40};

std::string describe(const ResponseHead& head) {
  std::string out = std::to_string(head.status) + std::string(head.reason);
  for (const auto& [name, value] : head.headers) {
    out.append("\n").append(name).append(":").append(value);
  }
  return out + '\n' + std::to_string(head.version_minor) +
         std::to_string(static_cast<int>(head.framing.kind)) + std::to_string(head.framing.length) +
         (head.keep_alive ? "k" : "c");
}

void check_accepted(const ResponseHead& head, RequestMethod method) {
  PENSTOCK_ASSERT(head.status >= 100 && head.status <= 599 && head.status != 101);
  const bool no_body =
      head.interim() || head.status == 204 || head.status == 304 || method == RequestMethod::kHead;
  PENSTOCK_ASSERT(!no_body || head.framing.kind == Framing::Kind::kNone);
  PENSTOCK_ASSERT(no_body || head.framing.kind != Framing::Kind::kNone);
  PENSTOCK_ASSERT(head.framing.kind != Framing::Kind::kUntilClose || !head.keep_alive);
  PENSTOCK_ASSERT(head.headers.count("content-length") == 0 ||
                  head.headers.count("transfer-encoding") == 0);
}

std::string outcome(std::string_view text, std::size_t step, RequestMethod method) {
  ResponseHeadParser parser(kLimits);
  ResponseHead head;
  std::size_t end = 0;
  while (end < text.size()) {
    end = text.size() - end > step ? end + step : text.size();
    const auto buffer = std::make_unique<char[]>(end);
    std::memcpy(buffer.get(), text.data(), end);
    const auto got = parser.parse({buffer.get(), end}, method, head);
    if (!got) return "refused";
    if (*got) {
      PENSTOCK_ASSERT(**got <= end && **got <= kLimits.header_bytes);
      check_accepted(head, method);
      return std::to_string(**got) + describe(head);
    }
  }
  return "more";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const RequestMethod method : {RequestMethod::kOther, RequestMethod::kHead}) {
    const std::string whole = outcome(text, size + 1, method);
    PENSTOCK_ASSERT(whole == outcome(text, 1, method));
    PENSTOCK_ASSERT(whole == outcome(text, 5, method));
  }
  return 0;
}
