#include "dialect/registry.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "dialect/openai/paths.h"

namespace penstock::dialect {
namespace {

// A new dialect is its folder and one row here.
constexpr std::array kRows{
    DialectInfo{.dialect = Dialect::kOpenai,
                .name = "openai",
                .base_path = openai::kBasePath,
                .key_header = "authorization",
                .key_prefix = "Bearer "},
};

static_assert(
    [] {
      for (std::size_t i = 0; i < kRows.size(); ++i)
        if (std::to_underlying(kRows[i].dialect) != i) return false;
      return true;
    }(),
    "the rows stand in the order of the enum");

}  // namespace

std::span<const DialectInfo> dialects() noexcept { return kRows; }

const DialectInfo& info(Dialect dialect) noexcept {
  const auto index = std::to_underlying(dialect);
  PENSTOCK_ASSERT(index < kRows.size());
  return kRows[index];
}

const DialectInfo* find_dialect(std::string_view name) noexcept {
  for (const DialectInfo& row : kRows)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace penstock::dialect
