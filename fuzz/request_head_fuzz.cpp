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
#include "wire/request_head.h"

// Reads a head whole and byte by byte, each step in a buffer of its own: both must come to the same
// end. What is accepted must have the properties that the rest of the house relies on.
namespace {

using penstock::wire::Framing;
using penstock::wire::HeadLimits;
using penstock::wire::RequestHead;
using penstock::wire::RequestHeadParser;

// Small, so that the fuzzer reaches them.
constexpr HeadLimits kLimits{.header_bytes = 512, .target_bytes = 64, .fields = 40};

std::string describe(const RequestHead& head) {
  std::string out = std::string(head.method) + ' ' + std::string(head.target);
  for (const auto& [name, value] : head.headers) {
    out.append("\n").append(name).append(":").append(value);
  }
  return out + '\n' + std::to_string(head.version_minor) +
         std::to_string(static_cast<int>(head.framing.kind)) + std::to_string(head.framing.length) +
         (head.keep_alive ? "k" : "c") + (head.expect_continue ? "e" : "");
}

void check_accepted(const RequestHead& head) {
  PENSTOCK_ASSERT(!head.method.empty() && !head.target.empty());
  PENSTOCK_ASSERT(head.target.find_first_of(std::string_view(" \t\r\n\0", 5)) ==
                  std::string_view::npos);
  PENSTOCK_ASSERT(head.version_minor == 0 || head.version_minor == 1);
  PENSTOCK_ASSERT(head.headers.count("host") == 1 || head.version_minor == 0);
  PENSTOCK_ASSERT(head.headers.count("content-length") + head.headers.count("transfer-encoding") <=
                  1);
  PENSTOCK_ASSERT(head.framing.kind != Framing::Kind::kUntilClose);
  for (const auto& [name, value] : head.headers) {
    PENSTOCK_ASSERT(!name.empty());
    PENSTOCK_ASSERT(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
  }
}

// The outcome after the steps that end at each multiple of `step`.
std::string outcome(std::string_view text, std::size_t step) {
  RequestHeadParser parser(kLimits);
  RequestHead head;
  std::size_t end = 0;
  while (end < text.size()) {
    end = text.size() - end > step ? end + step : text.size();
    const auto buffer = std::make_unique<char[]>(end);
    std::memcpy(buffer.get(), text.data(), end);
    const auto got = parser.parse({buffer.get(), end}, head);
    if (!got) return std::to_string(got.error().http_status()) + got.error().message;
    if (*got) {
      PENSTOCK_ASSERT(**got <= end && **got <= kLimits.header_bytes);
      check_accepted(head);
      return std::to_string(**got) + describe(head);
    }
  }
  return "more";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = outcome(text, size + 1);
  PENSTOCK_ASSERT(whole == outcome(text, 1));
  PENSTOCK_ASSERT(whole == outcome(text, 7));
  return 0;
}
