#pragma once

#include <string_view>

#include "wire/header_list.h"

namespace penstock::gateway {

// Which fields of a message concern more than one connection (RFC 9110 section 7.6.1).
class PassedFields {
 public:
  // The list is not copied.
  explicit PassedFields(const wire::HeaderList& headers) noexcept : headers_(headers) {}

  // False for hop-by-hop fields, those that Connection names, and framing: that is written anew.
  [[nodiscard]] bool end_to_end(std::string_view name) const noexcept;

 private:
  const wire::HeaderList& headers_;
};

// `x-penstock-*`: the gateway's own names, never taken from outside nor passed on.
[[nodiscard]] bool is_internal(std::string_view name) noexcept;

// Whether a client's field must not reach a provider: credentials, internal names, who the client
// is, and what is written anew.
[[nodiscard]] bool is_private(std::string_view name) noexcept;

}  // namespace penstock::gateway
