#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "wire/header_list.h"

namespace penstock::gateway {

// A field's name as its most careless reader takes it: in lower case, and with a dash for each
// underscore, as servers do that hand fields to a program as variables.
class FieldName {
 public:
  // The name is not copied but for what is compared: its first 64 bytes. No name that concerns us
  // is longer.
  explicit FieldName(std::string_view name) noexcept;

  [[nodiscard]] std::string_view as_written() const noexcept { return name_; }
  [[nodiscard]] std::string_view plain() const noexcept { return {plain_.data(), size_}; }

 private:
  static constexpr std::size_t kLongest = 64;

  std::string_view name_;
  std::size_t size_;
  std::array<char, kLongest> plain_;
};

// Which fields of a message concern more than one connection (RFC 9110 section 7.6.1).
class PassedFields {
 public:
  // The list is not copied.
  explicit PassedFields(const wire::HeaderList& headers) noexcept : headers_(headers) {}

  // False for hop-by-hop fields, those that Connection names, and framing: that is written anew.
  [[nodiscard]] bool end_to_end(const FieldName& name) const noexcept;

 private:
  const wire::HeaderList& headers_;
};

// Whether a client's field must not reach a provider: credentials, the gateway's own names, who the
// client is, what makes a provider answer something else than was asked, and what is written anew.
[[nodiscard]] bool is_private(const FieldName& name) noexcept;

// Whether a provider's field must not reach a client: what is about the account that all callers
// share, what the gateway says itself, and what speaks to a browser about the provider's host.
[[nodiscard]] bool is_providers_own(const FieldName& name) noexcept;

}  // namespace penstock::gateway
