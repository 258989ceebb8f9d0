#pragma once

#include <expected>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace penstock {

template <class T>
using Result = std::expected<T, Error>;

// Shorthand for the error branch: `return fail(ErrorCode::kNotFound)`.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code) {
  return std::unexpected<Error>(Error(code));
}
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}
[[nodiscard]] inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

// Drops a value on purpose; `why` is for the reader.
template <class T>
constexpr void ignore(T&&, [[maybe_unused]] std::string_view why) noexcept {}

}  // namespace penstock

#define PENSTOCK_CONCAT_(a, b) a##b
#define PENSTOCK_CONCAT(a, b) PENSTOCK_CONCAT_(a, b)

#define PENSTOCK_TRY_(result, target, expression, give_back)         \
  auto result = (expression);                                        \
  if (!result) give_back std::unexpected(std::move(result).error()); \
  target = *std::move(result)

// Assigns or declares `target` from a Result, or returns its error to the caller.
#define PENSTOCK_TRY(target, expression) \
  PENSTOCK_TRY_(PENSTOCK_CONCAT(try_result_, __LINE__), target, expression, return)
// The same inside a coroutine.
#define PENSTOCK_CO_TRY(target, expression) \
  PENSTOCK_TRY_(PENSTOCK_CONCAT(try_result_, __LINE__), target, expression, co_return)
// For Result<void>.
#define PENSTOCK_CHECK(expression)                                  \
  if (auto check_result = (expression); !check_result) [[unlikely]] \
  return std::unexpected(std::move(check_result).error())
#define PENSTOCK_CO_CHECK(expression)                               \
  if (auto check_result = (expression); !check_result) [[unlikely]] \
  co_return std::unexpected(std::move(check_result).error())
