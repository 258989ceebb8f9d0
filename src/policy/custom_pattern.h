#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "policy/window.h"

namespace penstock::policy {

// One configured expression, compiled by RE2: linear in the text whatever is written.
class CustomPattern {
 public:
  // errors: kInvalidRequest with what is wrong in `message`, see read_expression().
  [[nodiscard]] static Result<CustomPattern> build(std::string_view expression);

  CustomPattern(CustomPattern&& other) noexcept;
  CustomPattern& operator=(CustomPattern&& other) noexcept;
  ~CustomPattern();

  // As the functions of finders.h. Any thread.
  [[nodiscard]] Found find(const Window& window, std::size_t from) const;

 private:
  struct Compiled;
  explicit CustomPattern(std::unique_ptr<const Compiled> compiled) noexcept;

  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace penstock::policy
