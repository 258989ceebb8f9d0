#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace penstock::dialect::openai {

// One public model as clients see it.
struct ModelRow {
  std::string_view id;
  std::int64_t created = 0;  // seconds since 1970; ours: when the config was loaded
  std::string_view owned_by = "penstock";
};

// The body of GET /v1/models, in the order given.
[[nodiscard]] std::string models_body(std::span<const ModelRow> models);

// The body of GET /v1/models/{id}.
[[nodiscard]] std::string model_body(const ModelRow& model);

// Whether a provider's answer to GET /models names this model: `data[].id` of one well-formed
// document.
[[nodiscard]] bool lists_model(std::string_view body, std::string_view id) noexcept;

}  // namespace penstock::dialect::openai
