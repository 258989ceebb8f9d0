#include "policy/binary_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "json/string.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

struct Place {
  std::string_view key;
  std::string_view above;  // empty: any
};

constexpr auto kPlaces = std::to_array<Place>({{"data", "input_audio"},
                                               {"data", "audio"},
                                               {"data", "reasoning_details"},
                                               {"b64_json", ""},
                                               {"embedding", ""},
                                               {"signature", ""},
                                               {"encrypted_content", ""}});

constexpr auto kMedia = std::to_array<std::string_view>({"image", "audio", "video", "application"});

constexpr std::size_t kBytesMin = 64;    // longer than any identifier of these bytes
constexpr std::size_t kQuantum = 4;      // RFC 4648 section 4
constexpr std::size_t kSubtypeMax = 12;  // too short to say something
constexpr std::size_t kSubtypeDigitsMax = 4;

// Without a branch for each byte: megabytes are looked through in one step.
bool all_base64(std::string_view text) noexcept {
  unsigned other = 0;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    const auto digit = static_cast<unsigned char>(value - '0');
    const auto letter = static_cast<unsigned char>((value | 0x20U) - 'a');
    other |= static_cast<unsigned>((digit > 9) & (letter > 25) & (value != '+') & (value != '/'));
  }
  return other == 0;
}

// A slash may be written as `\/`.
bool is_base64(std::string_view raw) noexcept {
  for (std::size_t padding = 0; padding < 2 && raw.ends_with('='); ++padding) raw.remove_suffix(1);
  std::size_t bytes = raw.size();
  if (bytes < kBytesMin) return false;
  while (true) {
    const std::size_t slash = std::min(raw.find('\\'), raw.size());
    if (!all_base64(raw.substr(0, slash))) return false;
    if (slash == raw.size()) return bytes % kQuantum != 1;
    raw.remove_prefix(slash + 1);
    --bytes;
    if (!raw.starts_with('/')) return false;
  }
}

// `image/png;base64`, without parameters: those may say something.
bool is_media_type(std::string_view type) noexcept {
  constexpr std::string_view kCoding = ";base64";
  if (!type.ends_with(kCoding)) return false;
  type.remove_suffix(kCoding.size());
  const std::size_t slash = type.find('/');
  if (slash == std::string_view::npos) return false;
  std::string_view kind = type.substr(0, slash);
  if (kind.ends_with('\\')) kind.remove_suffix(1);
  const std::string_view subtype = type.substr(slash + 1);
  if (std::ranges::find(kMedia, kind) == kMedia.end() || subtype.size() > kSubtypeMax) return false;
  if (kind == "application" && subtype != "pdf") return false;
  const auto digits = std::ranges::count_if(
      subtype, [](char byte) { return is_digit(static_cast<unsigned char>(byte)); });
  return static_cast<std::size_t>(digits) <= kSubtypeDigitsMax &&
         std::ranges::all_of(subtype, [](char byte) {
           return is_alnum(static_cast<unsigned char>(byte)) || byte == '+' || byte == '-';
         });
}

}  // namespace

bool is_binary(std::string_view key, std::string_view above, std::string_view raw) noexcept {
  if (raw.size() < kBytesMin) return false;
  constexpr std::string_view kUrl = "data:";
  constexpr std::size_t kTypeMax = 40;
  if (raw.starts_with(kUrl)) {
    const std::size_t comma = raw.substr(0, kUrl.size() + kTypeMax).find(',');
    return comma != std::string_view::npos &&
           is_media_type(raw.substr(kUrl.size(), comma - kUrl.size())) &&
           is_base64(raw.substr(comma + 1));
  }
  const bool known = std::ranges::any_of(kPlaces, [&](const Place& place) {
    return json::equals(key, place.key) &&
           (place.above.empty() || json::equals(above, place.above));
  });
  return known && is_base64(raw);
}

}  // namespace penstock::policy
