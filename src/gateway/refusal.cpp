#include "gateway/refusal.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "control/refusal_wait.h"
#include "dialect/openai/error.h"
#include "gateway/audit.h"
#include "gateway/reply_head.h"
#include "gateway/request_scope.h"
#include "gateway/surface_of.h"
#include "gateway/token_quota.h"
#include "json/log_line.h"
#include "net/byte_stream.h"
#include "telemetry/labels.h"
#include "wire/head_writer.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

// Until when a client should wait, for the codes that promise it (docs/reference/endpoints.md).
void set_retry_after(RequestScope& scope, Error& error) {
  if (error.retry_after) return;
  switch (error.code) {
    case ErrorCode::kOverloaded:
      error.retry_after = control::overloaded_wait(*scope.worker.rng);
      break;
    case ErrorCode::kNoReplica:
      error.retry_after = control::no_replica_wait(std::nullopt, scope.now(), *scope.worker.rng);
      break;
    case ErrorCode::kDraining: error.retry_after = 1s; break;
    default: break;
  }
}

bool should_retry(const RequestScope& scope, const Error& error) {
  switch (info(error.code).retry) {
    case ShouldRetry::kNo: return false;
    case ShouldRetry::kYes: return scope.attempts == 0;  // after an attempt this layer has retried
    case ShouldRetry::kWhenTold: return error.retry_after.has_value();
  }
  return false;
}

std::string error_head(const RequestScope& scope, const Error& error) {
  std::string head;
  wire::append_status_line(head, error.http_status());
  wire::append_header(head, "content-type", "application/json");
  if (error.code == ErrorCode::kMethodNotAllowed)
    wire::append_header(head, "allow", takes_body(scope.surface) ? "POST" : "GET");
  if (error.retry_after) {
    using std::chrono::ceil;
    const auto wait = *error.retry_after;
    wire::append_header(head, "retry-after",
                        static_cast<std::uint64_t>(ceil<std::chrono::seconds>(wait).count()));
    wire::append_header(head, "retry-after-ms",
                        static_cast<std::uint64_t>(ceil<std::chrono::milliseconds>(wait).count()));
  }
  wire::append_header(head, "x-should-retry", should_retry(scope, error) ? "true" : "false");
  append_own_fields(head, scope, Told::kRoute);
  return head;
}

// A stream has begun; a provider's long error reply to one is none.
bool in_stream(const RequestScope& scope) {
  return scope.exchange.begun() && scope.request.streamed() && scope.status < 300;
}

// A stream that has begun ends with its one error event, whatever the cause.
Task<void> end_stream(RequestScope& scope, Error error) {
  const ErrorSource source = info(error.code).source;
  if (error.code == ErrorCode::kDraining) error.message = "The gateway was shut down.";
  if (error.message.empty()) error.message = info(error.code).message;
  if (error.code != ErrorCode::kContentBlocked) error.code = ErrorCode::kStreamInterrupted;
  const std::string event = dialect::openai::error_event(error, source, scope.request_id);
  scope.stream_end = telemetry::StreamEnd::kErrorEvent;
  if (!scope.interrupted)
    scope.interrupted = source == ErrorSource::kUpstream ? telemetry::InterruptCause::kProvider
                                                         : telemetry::InterruptCause::kGateway;
  const std::array<std::string_view, 1> last{event};
  if (co_await scope.exchange.finish(last) != net::IoEnd::kOk) {
    scope.stream_end = telemetry::StreamEnd::kClientGone;
    scope.interrupted = telemetry::InterruptCause::kClient;
  }
}

// What only operators may read: a TLS reason, a resolver's word, the text of an exception.
void tell_operators(RequestScope& scope, const Error& error) {
  if (error.detail.empty()) return;
  json::LogLine(json::LogLevel::kWarn, "request failed")
      .with("code", info(error.code).name)
      .with("detail", error.detail)
      .with("provider", scope.provider != nullptr ? scope.provider->name : std::string_view())
      .with("replica", scope.replica != nullptr ? scope.replica->name : std::string_view())
      .with("request_id", scope.request_id)
      .with("call_id", scope.call_id)
      .write_to(scope.worker.log);
}

// The provider's own words, unchanged.
Task<void> pass_error(RequestScope& scope) {
  scope.code.reset();
  scope.status = scope.said.status;
  const std::array<std::string_view, 1> body{scope.said.error->body};
  ignore(co_await scope.exchange.reply(std::move(scope.said.error->head), body),
         "a client that left needs no answer");
}

}  // namespace

Task<void> refuse_request(RequestScope& scope, Error error) {
  if (scope.attempts != 0) scope.rejected_at.reset();
  settle_tokens(scope);         // what was held is free again when the client reads so
  audit_refusal(scope, error);  // also where nobody is left to be told
  if (scope.exchange.client_left()) {
    scope.stop = "aborted";
    if (in_stream(scope)) {
      scope.stream_end = telemetry::StreamEnd::kClientGone;
      scope.interrupted = telemetry::InterruptCause::kClient;
    }
    scope.exchange.break_off();  // nobody is there to be told
    co_return;
  }
  scope.code = error.code;
  tell_operators(scope, error);
  if (scope.attempts != 0) scope.stop = "error";
  if (scope.exchange.begun()) {
    if (in_stream(scope))
      co_await end_stream(scope, std::move(error));
    else
      scope.exchange.break_off();
    co_return;
  }
  const bool passes = error.code != ErrorCode::kDraining;  // a stop is ours, also between attempts
  if (passes && scope.said.error) {                        // the last attempt's own answer
    co_await pass_error(scope);
    co_return;
  }
  set_retry_after(scope, error);
  scope.status = error.http_status();
  const std::string body = dialect::openai::error_body(error, scope.request_id);
  const std::array<std::string_view, 1> pieces{body};
  ignore(co_await scope.exchange.reply(error_head(scope, error), pieces),
         "a client that left needs no answer");
}

}  // namespace penstock::gateway
