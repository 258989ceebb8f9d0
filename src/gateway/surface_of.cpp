#include "gateway/surface_of.h"

#include <algorithm>
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

// Whether a Content-Type names UTF-8 or no charset. A quoted value may not hold a semicolon here.
bool is_utf8(std::string_view content_type) noexcept {
  content_type.remove_prefix(std::min(content_type.find(';'), content_type.size()));
  while (!content_type.empty()) {
    content_type.remove_prefix(1);
    const std::size_t end = std::min(content_type.find(';'), content_type.size());
    const std::string_view parameter = content_type.substr(0, end);
    content_type.remove_prefix(end);
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    if (!wire::equals_ignore_case(wire::trim(parameter.substr(0, equals)), "charset")) continue;
    const std::string_view value =
        wire::trim(parameter.substr(std::min(equals + 1, parameter.size())));
    constexpr auto kSame =
        std::to_array<std::string_view>({"utf-8", "\"utf-8\"", "utf8", "\"utf8\""});
    if (!wire::is_one_of(value, kSame)) return false;
  }
  return true;
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
  const auto unsupported = [](std::string why) {
    return fail(ErrorCode::kUnsupportedMediaType, std::move(why));
  };
  const std::string_view coding = headers.find("content-encoding").value_or("identity");
  if (headers.count("content-encoding") > 1 || !wire::equals_ignore_case(coding, "identity"))
    return unsupported("The body must not be encoded: leave out `content-encoding`.");
  const std::optional<std::string_view> type = headers.find("content-type");
  if (!type) return {};
  if (headers.count("content-type") > 1)
    return unsupported("`content-type` must not be given twice.");
  if (!wire::equals_ignore_case(wire::media_type(*type), "application/json"))
    return fail(ErrorCode::kUnsupportedMediaType);
  if (!is_utf8(*type)) return unsupported("The body must be in UTF-8: leave out `charset`.");
  return {};
}

}  // namespace penstock::gateway
