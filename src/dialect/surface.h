#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::dialect {

// The client's endpoint.
enum class Surface : std::uint8_t {
  kNone,         // a path that is none of ours
  kChat,         // POST /v1/chat/completions
  kCompletions,  // POST /v1/completions
  kEmbeddings,   // POST /v1/embeddings
  kModels,       // GET /v1/models
  kModel,        // GET /v1/models/{id}
  kMe,           // GET /v1/me
};

// The word in metrics and logs.
[[nodiscard]] constexpr std::string_view name(Surface surface) noexcept {
  switch (surface) {
    case Surface::kNone: return "none";
    case Surface::kChat: return "chat";
    case Surface::kCompletions: return "completions";
    case Surface::kEmbeddings: return "embeddings";
    case Surface::kModels: return "models";
    case Surface::kModel: return "model";
    case Surface::kMe: return "me";
  }
  return "none";
}

// Whether a request there may ask for a stream.
[[nodiscard]] constexpr bool streams(Surface surface) noexcept {
  return surface == Surface::kChat || surface == Surface::kCompletions;
}

}  // namespace penstock::dialect
