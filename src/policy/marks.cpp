#include "policy/marks.h"

#include <cstddef>

#include "json/utf8.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

constexpr MarkKind kind_of(int point) noexcept {
  if (point >= 0x2000 && point <= 0x200F) return MarkKind::kBlank;   // of all widths, and of none
  if (point >= 0x2010 && point <= 0x2015) return MarkKind::kHyphen;  // hyphens and dashes
  switch (point) {
    case 0x00A0:  // no-break space
    case 0x202F:  // narrow no-break space
    case 0x205F:  // medium mathematical space
    case 0x2060:  // word joiner
    case 0x3000:  // ideographic space
    case 0xFEFF:  // zero width no-break space
      return MarkKind::kBlank;
    case 0x00AD:  // soft hyphen
    case 0x2043:  // hyphen bullet
    case 0x2212:  // minus sign
    case 0xFE58:  // small em dash
    case 0xFE63:  // small hyphen-minus
    case 0xFF0D:  // fullwidth hyphen-minus
      return MarkKind::kHyphen;
    default: return MarkKind::kNone;
  }
}

}  // namespace

// The lead bytes of those above: of others nothing more is read, so that they hold nothing back.
Mark wide_mark_at(Look& look, std::size_t at) noexcept {
  const int first = look.at(at);
  if (first != 0xC2 && first != 0xE2 && first != 0xE3 && first != 0xEF) return {};
  const std::size_t size = first == 0xC2 ? 2 : 3;
  int point = size == 2 ? first & 0x1F : first & 0x0F;
  for (std::size_t i = 1; i < size; ++i) {
    const int byte = look.at(at + i);
    if (!json::continues_character(static_cast<char>(byte))) return {};
    point = point << 6 | (byte & 0x3F);
  }
  const MarkKind kind = kind_of(point);
  return kind == MarkKind::kNone ? Mark{} : Mark{kind, size};
}

}  // namespace penstock::policy
