#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::lab {

// What a path of the mock leads to, whatever stands in front of it.
enum class MockPath : std::uint8_t {
  kNone,
  kChat,         // /chat/completions
  kCompletions,  // /completions
  kEmbeddings,   // /embeddings
  kModels,       // /models
  kModel,        // /models/{id}
  kHealth,       // /health, /livez
  kFault,        // /mock/fault
  kStats,        // /mock/stats
  kReset,        // /mock/reset
};

// target: as it stands in the request; its query is not looked at.
[[nodiscard]] MockPath mock_path(std::string_view target) noexcept;

// Faults never touch these.
[[nodiscard]] constexpr bool is_control(MockPath path) noexcept {
  return path == MockPath::kFault || path == MockPath::kStats || path == MockPath::kReset;
}

// The name at the end of /models/{id}, as it is written.
[[nodiscard]] std::string_view model_in(std::string_view target) noexcept;

}  // namespace penstock::lab
