#include "gateway/surface_of.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "dialect/surface.h"
#include "gateway/request_scope.h"
#include "wire/header_list.h"
#include "wire/request_head.h"

namespace penstock::gateway {

using dialect::Surface;

namespace {

struct Row {
  std::string_view path;
  std::string_view method;
  Surface surface;
};
constexpr std::array<Row, 5> kRows{{
    {"/v1/chat/completions", "POST", Surface::kChat},
    {"/v1/completions", "POST", Surface::kCompletions},
    {"/v1/embeddings", "POST", Surface::kEmbeddings},
    {"/v1/models", "GET", Surface::kModels},
    {"/v1/me", "GET", Surface::kMe},
}};
constexpr std::string_view kModelPath = "/v1/models/";

Result<void> check_method(std::string_view method, std::string_view wanted) {
  if (method == wanted) return {};
  return fail(ErrorCode::kMethodNotAllowed, std::string("This path takes ").append(wanted) + ".");
}

}  // namespace

std::string_view path_of(std::string_view target) noexcept {
  if (const std::size_t scheme = target.find("://");
      scheme != std::string_view::npos && !target.starts_with('/')) {
    const std::size_t slash = target.find('/', scheme + 3);
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  return target.substr(0, target.find('?'));
}

Result<void> find_surface(RequestScope& scope) {
  const wire::RequestHead& head = scope.exchange.head();
  const std::string_view path = path_of(head.target);
  for (const Row& row : kRows) {
    if (row.path != path) continue;
    scope.surface = row.surface;
    return check_method(head.method, row.method);
  }
  if (path.starts_with(kModelPath) && path.size() > kModelPath.size()) {
    scope.surface = Surface::kModel;
    scope.surface_argument = path.substr(kModelPath.size());
    return check_method(head.method, "GET");
  }
  Error error(ErrorCode::kNotFound);
  error.hint =
      "The data plane serves /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/models and "
      "/v1/me.";
  return fail(std::move(error));
}

bool takes_body(Surface surface) noexcept {
  switch (surface) {
    case Surface::kChat:
    case Surface::kCompletions:
    case Surface::kEmbeddings: return true;
    case Surface::kNone:
    case Surface::kModels:
    case Surface::kModel:
    case Surface::kMe: return false;
  }
  return false;
}

Result<void> check_media_type(const wire::HeaderList& headers) {
  const std::optional<std::string_view> type = headers.find("content-type");
  if (!type) return {};
  if (wire::equals_ignore_case(wire::media_type(*type), "application/json")) return {};
  return fail(ErrorCode::kUnsupportedMediaType);
}

}  // namespace penstock::gateway
