#include "gateway/provider_reply.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/byte_budget.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/units.h"
#include "control/outcome.h"
#include "dialect/openai/error.h"
#include "gateway/attempt_error.h"
#include "gateway/reply_head.h"
#include "gateway/request_scope.h"
#include "wire/head_writer.h"
#include "wire/header_list.h"
#include "wire/response_head.h"

namespace penstock::gateway {
namespace {

// A longer wait is cut to this: nobody waits a day.
constexpr Duration kWaitMax = 24h;

// `12`, `0.5`: seconds (or another unit) as providers write them; nullopt for a date.
std::optional<Duration> length(std::string_view text, Duration unit) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || at != end || value < 0) return std::nullopt;
  const double most = static_cast<double>(kWaitMax.count());
  const double wait = value * static_cast<double>(unit.count());
  return Duration(static_cast<Duration::rep>(wait < most ? wait : most));
}

std::optional<Duration> wait_of(const wire::HeaderList& headers) {
  if (const auto exact = headers.find("retry-after-ms"))
    if (const std::optional<Duration> wait = length(*exact, 1ms)) return wait;
  const auto seconds = headers.find("retry-after");
  return seconds ? length(*seconds, 1s) : std::nullopt;
}

ErrorCode code_of(std::uint16_t status) noexcept {
  if (status == 429) return ErrorCode::kUpstreamRateLimited;
  if (status == 503 || status == 529) return ErrorCode::kUpstreamOverloaded;
  return ErrorCode::kUpstreamError;
}

// Only a name of our own mapping can be missing by our fault; others are what the client made up.
control::ProviderWord word_of(const RequestScope& scope,
                              const dialect::openai::ProviderError& said) {
  const std::uint16_t status = scope.said.status;
  if (status == 400 && said.code == "context_length_exceeded")
    return control::ProviderWord::kContextLength;
  if (status == 404 && said.code == "model_not_found" && scope.route.model != nullptr)
    return control::ProviderWord::kModelNotFound;
  return control::ProviderWord::kNone;
}

}  // namespace

void note_reply_head(RequestScope& scope, const wire::ResponseHead& head) {
  ProviderReply& said = scope.said;
  said.status = static_cast<std::uint16_t>(head.status);
  const bool tells_of_load = code_of(said.status) != ErrorCode::kUpstreamError;
  if (!tells_of_load) return;
  said.wait = wait_of(head.headers);
  if (said.wait || head.headers.find("retry-after"))
    said.retry_after = control::Facts::RetryAfter::kGiven;
}

std::string provider_error_head(const RequestScope& scope, const wire::ResponseHead& reply) {
  std::string head = relayed_head(scope, reply);
  const bool when = scope.said.retry_after == control::Facts::RetryAfter::kGiven;
  wire::append_header(head, "x-should-retry", when ? "true" : "false");
  return head;
}

Error hold_error(RequestScope& scope, const wire::ResponseHead& reply, std::string_view body) {
  ProviderReply& said = scope.said;
  const dialect::openai::ProviderError words = dialect::openai::read_error(body);
  said.word = word_of(scope, words);
  if (!scope.exchange.begun()) {
    std::optional<ByteLease> memory = scope.worker.process.body_memory.take(Bytes{body.size()});
    if (!memory) return memory_full();
    said.error.emplace(provider_error_head(scope, reply), std::string(body), *std::move(memory));
  }
  said.refused = true;
  Error error(code_of(said.status));
  error.message = words.message.empty()
                      ? "The provider answered with status " + std::to_string(said.status) + "."
                      : "The provider said: " + words.message;
  error.retry_after = said.wait;
  return error;
}

}  // namespace penstock::gateway
