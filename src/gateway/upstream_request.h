#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "gateway/request_scope.h"
#include "json/splice.h"

namespace penstock::gateway {

// The request as the provider gets it: a head of our own and the client's bytes, spliced. Holds
// views into the scope and its body.
class UpstreamRequest {
 public:
  explicit UpstreamRequest(const RequestScope& scope);
  UpstreamRequest(const UpstreamRequest&) = delete;
  UpstreamRequest& operator=(const UpstreamRequest&) = delete;

  // Head and body, in order.
  [[nodiscard]] std::span<const std::string_view> pieces() const noexcept {
    return {pieces_.data(), count_};
  }

 private:
  std::string head_;
  json::Splice body_;
  std::array<std::string_view, json::Splice::kSegmentsMax + 1> pieces_;
  std::size_t count_ = 0;
};

}  // namespace penstock::gateway
