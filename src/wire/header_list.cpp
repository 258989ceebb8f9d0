#include "wire/header_list.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/assert.h"

namespace penstock::wire {
namespace {

constexpr char lower(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
}

constexpr bool is_blank(char byte) noexcept { return byte == ' ' || byte == '\t'; }

}  // namespace

bool equals_ignore_case(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (lower(left[i]) != lower(right[i])) return false;
  }
  return true;
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) noexcept {
  return std::ranges::any_of(
      names, [name](std::string_view one) { return equals_ignore_case(name, one); });
}

std::string_view trim(std::string_view bytes) noexcept {
  while (!bytes.empty() && is_blank(bytes.front())) bytes.remove_prefix(1);
  while (!bytes.empty() && is_blank(bytes.back())) bytes.remove_suffix(1);
  return bytes;
}

std::optional<std::string_view> next_element(std::string_view& list) noexcept {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view element = trim(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (!element.empty()) return element;
  }
  return std::nullopt;
}

bool list_contains_token(std::string_view list, std::string_view token) noexcept {
  while (const auto element = next_element(list)) {
    if (equals_ignore_case(*element, token)) return true;
  }
  return false;
}

void HeaderList::add(std::string_view name, std::string_view value) {
  if (size_ < kInlineFields) {
    inline_[size_++] = {name, value};
    return;
  }
  spill({name, value});
}

void HeaderList::spill(Header header) {
  PENSTOCK_ASSERT(size_ < kFieldsMax);
  if (size_ == kInlineFields) spilled_.assign(inline_.begin(), inline_.end());
  spilled_.push_back(header);
  ++size_;
}

void HeaderList::clear() noexcept {
  size_ = 0;
  spilled_.clear();
}

std::optional<std::string_view> HeaderList::find(std::string_view name) const noexcept {
  for (const Header& header : *this) {
    if (equals_ignore_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::size_t HeaderList::count(std::string_view name) const noexcept {
  std::size_t found = 0;
  for (const Header& header : *this) found += equals_ignore_case(header.name, name) ? 1U : 0U;
  return found;
}

}  // namespace penstock::wire
