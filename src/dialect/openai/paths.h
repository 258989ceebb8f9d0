#pragma once

#include <string_view>

#include "dialect/surface.h"

namespace penstock::dialect::openai {

// Where the API begins at a provider whose URL has no path of its own.
inline constexpr std::string_view kBasePath = "/v1";

// A surface's path below the base path, beginning with a slash; kModel's takes "/" and the id
// behind it. Empty for what providers are never asked (kMe, kNone).
[[nodiscard]] constexpr std::string_view upstream_path(Surface surface) noexcept {
  switch (surface) {
    case Surface::kChat: return "/chat/completions";
    case Surface::kCompletions: return "/completions";
    case Surface::kEmbeddings: return "/embeddings";
    case Surface::kModels:
    case Surface::kModel: return "/models";
    case Surface::kMe:
    case Surface::kNone: return {};
  }
  return {};
}

}  // namespace penstock::dialect::openai
