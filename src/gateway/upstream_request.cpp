#include "gateway/upstream_request.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "base/units.h"
#include "dialect/openai/paths.h"
#include "dialect/openai/request.h"
#include "fleet/provider.h"
#include "gateway/passed_fields.h"
#include "gateway/redaction.h"
#include "gateway/request_scope.h"
#include "policy/redact_config.h"
#include "wire/head_writer.h"
#include "wire/header_list.h"

namespace penstock::gateway {
namespace {

// Built from the client's end-to-end fields, less what is private, plus what is ours to say.
std::string upstream_head(const RequestScope& scope, std::uint64_t body_bytes) {
  const fleet::Provider& provider = *scope.provider;
  const wire::HeaderList& fields = scope.exchange.head().headers;
  std::string head;
  head.reserve(1024);
  head += "POST ";
  head += scope.replica->base_path;
  head += dialect::openai::upstream_path(scope.surface);
  head += " HTTP/1.1\r\n";
  wire::append_header(head, "host", scope.replica->authority);
  fleet::append_credential(head, provider);
  const PassedFields passed(fields);
  for (const wire::Header& field : fields) {
    const FieldName name(field.name);
    if (!passed.end_to_end(name) || is_private(name)) continue;
    if (withholds(scope, policy::Direction::kRequest, field)) continue;
    wire::append_header(head, field.name, field.value);
  }
  // Ours, since by another charset a provider would read another body than we did.
  wire::append_header(head, "content-type", "application/json");
  wire::append_header(head, "accept-encoding", "identity");
  wire::append_header(head, "x-request-id", scope.request_id);
  wire::append_header(head, "x-penstock-attempt", scope.attempts);
  if (scope.deadline != TimePoint::max()) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(scope.deadline - scope.now());
    wire::append_header(head, "x-request-timeout-ms",
                        static_cast<std::uint64_t>(std::max<std::int64_t>(1, left.count())));
  }
  wire::append_header(head, "content-length", body_bytes);
  head += wire::kHeadEnd;
  return head;
}

}  // namespace

UpstreamRequest::UpstreamRequest(const RequestScope& scope)
    : body_(dialect::openai::upstream_edits(scope.request, {.model = scope.target->model,
                                                            .usage = scope.provider->force_usage,
                                                            .limit = scope.provider->output_limit,
                                                            .surface = scope.surface,
                                                            .imposed = scope.imposed})) {
  head_ = upstream_head(scope, body_.size());
  pieces_[count_++] = head_;
  json::Splice::Segments segments;
  for (const std::string_view segment : body_.segments(segments)) pieces_[count_++] = segment;
}

}  // namespace penstock::gateway
