#include "lab/load_call.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "dialect/openai/chunk.h"
#include "dialect/openai/error.h"
#include "lab/load_advice.h"
#include "lab/load_record.h"
#include "net/arrival.h"
#include "net/connection_pool.h"
#include "net/http_call.h"
#include "runtime/cancellation.h"
#include "wire/response_head.h"
#include "wire/sse.h"

namespace penstock::lab {

using net::HeadEnd;
using net::HttpCall;
using runtime::Task;

namespace {

constexpr std::size_t kEventBytesMax = std::size_t{8} << 20;
constexpr std::size_t kErrorBytesMax = 4096;
constexpr std::size_t kRequestIdMax = 128;

std::string code_of(std::string_view body) {
  dialect::openai::ProviderError error = dialect::openai::read_error(body);
  return error.code.empty() ? std::move(error.type) : std::move(error.code);
}

}  // namespace

LoadCall::LoadCall(const LoadCallContext& context, const LoadCallTimes& times)
    : context_(context), times_(times), events_(kEventBytesMax) {}

Task<LoadRecord> LoadCall::run() {
  net::Freshness freshness = net::Freshness::kAny;
  while (true) {
    const runtime::CallContext limits{context_.cancellation, until()};
    net::Acquired acquired = co_await context_.pool.acquire(0, freshness, limits);
    if (acquired.end != net::AcquireEnd::kConnection) {
      const bool late = context_.loop.clock().now() >= until();
      record_.end = context_.cancellation.requested() ? LoadEnd::kUnfinished
                    : late                            ? time_over()
                                                      : LoadEnd::kConnect;
      break;
    }
    const Tried tried = co_await attempt(*acquired.connection);
    if (tried == Tried::kReusable) acquired.connection.keep();
    if (tried != Tried::kStale || freshness == net::Freshness::kFresh) break;
    freshness = net::Freshness::kFresh;
  }
  record_.total = since_intended();
  co_return std::move(record_);
}

Task<LoadCall::Tried> LoadCall::attempt(net::PooledConnection& connection) {
  HttpCall call(connection.stream(), connection.input(), context_.loop, context_.cancellation);
  const std::string_view pieces[] = {context_.request};
  ignore(co_await call.send(pieces, until()), "the head tells how it went");
  switch (co_await call.read_head(until())) {
    case HeadEnd::kHead: break;
    case HeadEnd::kClosed:
      record_.end = LoadEnd::kReset;
      co_return connection.reused() ? Tried::kStale : Tried::kDone;
    case HeadEnd::kCut: record_.end = LoadEnd::kReset; co_return Tried::kDone;
    case HeadEnd::kMalformed: record_.end = LoadEnd::kMalformed; co_return Tried::kDone;
    case HeadEnd::kTimedOut: record_.end = time_over(); co_return Tried::kDone;
    case HeadEnd::kStopped: record_.end = LoadEnd::kUnfinished; co_return Tried::kDone;
  }
  take_head(call.head());
  call.release_head();
  co_await read_body(call);
  co_return call.reusable() ? Tried::kReusable : Tried::kDone;
}

void LoadCall::take_head(const wire::ResponseHead& head) {
  record_.status = head.status;
  advice_ = read_advice(head.status, head.headers);
  const std::string_view id = head.headers.find("x-request-id").value_or(std::string_view());
  record_.request_id = id.substr(0, kRequestIdMax);
  const auto type = head.headers.find("content-type");
  event_stream_ = type && type->starts_with("text/event-stream");
}

Task<void> LoadCall::read_body(HttpCall& call) {
  while (true) {
    const HttpCall::Piece piece = call.next();
    switch (piece.step) {
      case HttpCall::Step::kData: take_data(piece.data); continue;
      case HttpCall::Step::kEnd: co_return finish_body();
      case HttpCall::Step::kCut: record_.end = LoadEnd::kReset; co_return;
      case HttpCall::Step::kMalformed: record_.end = LoadEnd::kMalformed; co_return;
      case HttpCall::Step::kMore: break;
    }
    switch (co_await call.arrival().until(until())) {
      case net::Wake::kInput: break;
      case net::Wake::kTime: record_.end = time_over(); co_return;
      case net::Wake::kStop: record_.end = LoadEnd::kUnfinished; co_return;
    }
  }
}

void LoadCall::take_data(std::string_view data) {
  record_.bytes += data.size();
  if (is_stream()) {
    events_.feed(data);
    return take_events();
  }
  ++record_.chunks;
  if (!record_.ttft) record_.ttft = since_intended();
  if (record_.status / 100 != 2)
    error_body_ += data.substr(0, kErrorBytesMax - std::min(kErrorBytesMax, error_body_.size()));
}

void LoadCall::take_events() {
  while (true) {
    const Result<std::optional<wire::SseEvent>> event = events_.next();
    if (!event || !*event) return;
    if (!(*event)->has_data) continue;
    ++record_.chunks;
    if (record_.end == LoadEnd::kErrorEvent) {  // nothing may follow it
      record_.end = LoadEnd::kMalformed;
      return;
    }
    const dialect::openai::ChunkView chunk = dialect::openai::read_chunk((*event)->data);
    finished_ = finished_ || chunk.finish() || chunk.kind == dialect::openai::ChunkKind::kDone;
    if (chunk.has_content && !record_.ttft) record_.ttft = since_intended();
    if (chunk.kind == dialect::openai::ChunkKind::kError) {
      error_body_ = (*event)->data;
      record_.end = LoadEnd::kErrorEvent;
    }
  }
}

void LoadCall::finish_body() {
  if (record_.status / 100 != 2)
    record_.end = LoadEnd::kStatus;
  else if (context_.stream && !is_stream())
    record_.end = LoadEnd::kMalformed;
  else if (record_.end == LoadEnd::kUnfinished)
    record_.end = !context_.stream || finished_ ? LoadEnd::kOk : LoadEnd::kInterrupted;
  if (!error_body_.empty()) record_.code = code_of(error_body_);
}

}  // namespace penstock::lab
