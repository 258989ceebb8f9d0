// What the mock answers to a request for embeddings.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lab/answer.h"
#include "lab/ask.h"
#include "lab/fault.h"
#include "lab/mix.h"

namespace penstock::lab {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// RFC 4648 section 4.
void append_base64(std::string& out, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view three = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < three.size() ? static_cast<unsigned char>(three[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= three.size() ? kAlphabet[bits >> (18 - 6 * i) & 63U] : '=';
  }
}

// A number between -1 and 1 that a float and its few digits tell alike.
float coordinate(std::uint64_t seed, std::uint64_t number) {
  return (static_cast<float>(mix(seed ^ number) % 256) - 128.0F) / 128.0F;
}

void append_vector(std::string& out, const Ask& ask, std::uint64_t seed) {
  if (ask.base64) {  // 32-bit floats, little-endian
    std::string bytes(ask.dimensions * sizeof(float), '\0');
    for (std::size_t i = 0; i < ask.dimensions; ++i) {
      const float value = coordinate(seed, i);
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    out += '"';
    append_base64(out, bytes);
    out += '"';
    return;
  }
  out += '[';
  for (std::uint32_t i = 0; i < ask.dimensions; ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", coordinate(seed, i));
  out += ']';
}

}  // namespace

std::string embeddings_body(const Ask& ask, const Fault& fault) {
  std::string out = "{\"object\":\"list\",\"data\":[";
  for (std::uint32_t i = 0; i < ask.inputs; ++i) {
    fmt::format_to(std::back_inserter(out),
                   "{}{{\"object\":\"embedding\",\"index\":{},\"embedding\":", i == 0 ? "" : ",",
                   i);
    append_vector(out, ask, mix(ask.seed + i));
    out += '}';
  }
  fmt::format_to(std::back_inserter(out), "],\"model\":\"{}\"", ask.model_raw);
  if (fault.usage != UsageFault::kNone)
    fmt::format_to(std::back_inserter(out),
                   ",\"usage\":{{\"prompt_tokens\":{0},\"total_tokens\":{0}}}", ask.prompt_tokens);
  return out + '}';
}

}  // namespace penstock::lab
