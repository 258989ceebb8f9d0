#include "lab/mock_path.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace penstock::lab {
namespace {

constexpr std::string_view kModelsFolder = "/models/";

struct Row {
  std::string_view end;
  MockPath path;
};
// The first that fits counts: /chat/completions before /completions.
constexpr std::array<Row, 9> kRows{{
    {"/chat/completions", MockPath::kChat},
    {"/completions", MockPath::kCompletions},
    {"/embeddings", MockPath::kEmbeddings},
    {"/models", MockPath::kModels},
    {"/health", MockPath::kHealth},
    {"/livez", MockPath::kHealth},
    {"/mock/fault", MockPath::kFault},
    {"/mock/stats", MockPath::kStats},
    {"/mock/reset", MockPath::kReset},
}};

std::string_view without_query(std::string_view target) noexcept {
  return target.substr(0, target.find('?'));
}

}  // namespace

MockPath mock_path(std::string_view target) noexcept {
  const std::string_view path = without_query(target);
  for (const Row& row : kRows)
    if (path.ends_with(row.end)) return row.path;
  return model_in(target).empty() ? MockPath::kNone : MockPath::kModel;
}

std::string_view model_in(std::string_view target) noexcept {
  const std::string_view path = without_query(target);
  const std::size_t at = path.rfind(kModelsFolder);
  return at == std::string_view::npos ? std::string_view() : path.substr(at + kModelsFolder.size());
}

}  // namespace penstock::lab
