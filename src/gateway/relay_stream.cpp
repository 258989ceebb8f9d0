#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_budget.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "dialect/openai/error.h"
#include "dialect/openai/request.h"
#include "dialect/openai/stream.h"
#include "gateway/attempt_error.h"
#include "gateway/attempt_watch.h"
#include "gateway/delivery.h"
#include "gateway/heartbeat.h"
#include "gateway/outbox.h"
#include "gateway/redaction.h"
#include "gateway/relay.h"
#include "gateway/reply_head.h"
#include "gateway/request_scope.h"
#include "gateway/stream_redaction.h"
#include "json/splice.h"
#include "net/arrival.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http_call.h"
#include "policy/redact_config.h"
#include "telemetry/labels.h"
#include "wire/sse.h"

namespace penstock::gateway {

namespace openai = dialect::openai;
using net::HttpCall;
using runtime::Task;

namespace {

constexpr Duration kUsageGrace =
    500ms;  // for usage and [DONE] after the finish: docs/reference/endpoints.md
constexpr Duration kEndGrace = 100ms;  // for the body's end behind the terminal
constexpr std::size_t kHeldMax = std::size_t{64}
                                 << 10;  // events without content: docs/reference/endpoints.md
constexpr std::size_t kParkedFree = std::size_t{64} << 10;  // of an unfinished event, uncharged

const wire::SseEvent kDone{
    .raw = openai::kDoneEvent, .data = "[DONE]", .event = {}, .has_data = true};

// Some engines end with the terminal but without the blank line that makes it an event.
bool is_bare_done(std::string_view rest) {
  rest = rest.substr(0, rest.find_last_not_of("\r\n") + 1);
  return rest == "data: [DONE]" || rest == "data:[DONE]";
}

// The usage chunk that only we asked for is ours alone.
bool hides_usage(const RequestScope& scope) {
  return scope.provider->force_usage == openai::ForceUsage::kForce && !scope.request.wants_usage();
}

// One provider's stream on its way to the client.
class StreamRelay {
 public:
  StreamRelay(RequestScope& scope, HttpCall& call, TimePoint first_byte_due)
      : scope_(scope),
        call_(call),
        parser_(static_cast<std::size_t>(scope.snapshot->limits.event_bytes.value)),
        reader_(openai::StreamOptions{
            .public_model = scope.request.model,
            .hide_usage = hides_usage(scope) ? openai::HideUsage::kHide : openai::HideUsage::kKeep,
            .choices = scope.request.choices}),
        head_(relayed_head(scope, call.head())),
        silence_due_(first_byte_due),
        buffered_(scope.delivery == Delivery::kBuffered) {
    if (const auto* redaction = redaction_of(scope, policy::Direction::kResponse))
      redaction_.emplace(scope, *redaction);
    call.release_head();
    if (!scope.exchange.begun()) put_off_heartbeat(scope, scope.now());
  }
  StreamRelay(const StreamRelay&) = delete;
  StreamRelay& operator=(const StreamRelay&) = delete;
  ~StreamRelay() { scope_.usage = reader_.usage(); }

  Task<Result<void>> run() {
    while (true) {
      const HttpCall::Piece piece = call_.next();
      switch (piece.step) {
        case HttpCall::Step::kData:
          PENSTOCK_CO_CHECK(co_await on_bytes(piece.data));
          if (over_) co_return co_await close_upstream();
          break;
        case HttpCall::Step::kMore: PENSTOCK_CO_CHECK(co_await wait()); break;
        case HttpCall::Step::kEnd:
        case HttpCall::Step::kCut:
        case HttpCall::Step::kMalformed: co_return co_await on_end();
      }
      if (over_) co_return Result<void>();
    }
  }

 private:
  Task<Result<void>> on_bytes(std::string_view bytes) {
    parser_.feed(bytes);
    while (!over_) {
      Result<std::optional<wire::SseEvent>> event = parser_.next();
      if (!event) co_return fail(std::move(event).error());
      if (!*event) break;
      PENSTOCK_CO_CHECK(co_await on_upstream(**event, bytes));
    }
    if (over_) co_return Result<void>();
    if (!charge_parked()) co_return fail(memory_full());
    PENSTOCK_CO_CHECK(co_await flush());
    // A client that takes its time is told so where there is more to come, however much is ready.
    if (scope_.now() < patience_end()) co_return Result<void>();
    if (reader_.settled()) co_return co_await on_end();
    co_return fail(ErrorCode::kDeadlineExceeded);
  }

  // What waits here for more bytes to come is charged to the bound that bodies share, beyond a
  // little that every stream may have.
  [[nodiscard]] bool charge_parked() {
    const std::uint64_t parked = parser_.rest().size() + held_.size();
    if (parked <= kParkedFree) {
      parked_ = ByteLease();
      return true;
    }
    return scope_.worker.process.body_memory.raise(parked_, Bytes{parked}, Bytes{kParkedFree});
  }

  // An event of the provider's: the only way in. Where replies are looked through it ends here, and
  // those go on that the redaction makes of it.
  Task<Result<void>> on_upstream(const wire::SseEvent& event, std::string_view bytes) {
    return redaction_ ? redact(event) : on_event(event, bytes);
  }

  Task<Result<void>> redact(const wire::SseEvent& event) {
    PENSTOCK_CO_TRY(const StreamRedaction::Events masked, redaction_->on_event(event));
    if (redaction_->content()) {  // come, though it may be held back for a while
      scope_.watch->content();
      silence_due_ = scope_.now() + scope_.provider->timeouts.idle;
    }
    co_return co_await on_masked(masked);
  }

  Task<Result<void>> on_masked(StreamRedaction::Events events) {
    for (const wire::SseEvent& event : events) {
      if (over_) break;
      PENSTOCK_CO_CHECK(co_await on_event(event, {}));
    }
    co_return Result<void>();
  }

  // `bytes`: what outlives this call; an event elsewhere must leave before the next is parsed.
  Task<Result<void>> on_event(const wire::SseEvent& event, std::string_view bytes) {
    const openai::Verdict verdict = reader_.on_event({event.raw, event.data, event.has_data});
    if (verdict.malformed) scope_.worker.metrics.stream_malformed.at(scope_.provider->label).add();
    switch (verdict.step) {
      case openai::StreamStep::kDrop: break;
      case openai::StreamStep::kFail: {
        const auto sent = committed_ ? openai::Sent::kContent : openai::Sent::kNothing;
        PENSTOCK_CO_CHECK(co_await flush());
        co_return fail(openai::stream_error(verdict.failure, reader_.provider_error(), sent));
      }
      case openai::StreamStep::kForward:
        if (verdict.content) {
          content_put_ = true;
          ++scope_.relayed_tokens;  // providers send about a token an event
          scope_.watch->content();
          if (!buffered_) {
            PENSTOCK_CO_CHECK(co_await commit());
          }
        }
        if (!committed_) {
          PENSTOCK_CO_CHECK(hold(verdict.bytes));
          break;
        }
        PENSTOCK_CO_CHECK(co_await put(verdict.bytes));
        break;
      case openai::StreamStep::kComplete:
        PENSTOCK_CO_CHECK(co_await commit());
        PENSTOCK_CO_CHECK(co_await put(verdict.bytes));
        co_return co_await finish();
    }
    // Another choice may begin after the first has finished: then the grace was none.
    if (!reader_.settled())
      grace_due_.reset();
    else if (!grace_due_)
      grace_due_ = scope_.now() + kUsageGrace;
    const bool elsewhere = event.raw.data() < bytes.data() ||
                           event.raw.data() + event.raw.size() > bytes.data() + bytes.size();
    if (elsewhere) co_return co_await flush();
    co_return Result<void>();
  }

  // The status goes out now, with what was held; content is coming, or the terminal.
  Task<Result<void>> commit() {
    if (reader_.content_seen() && !scope_.first_content) scope_.first_content = scope_.now();
    if (committed_) co_return Result<void>();
    committed_ = true;
    scope_.content_sent = true;
    if (!scope_.exchange.begun()) {  // else a heartbeat came first
      scope_.status = scope_.said.status;
      scope_.exchange.begin(std::move(head_), {net::ReplyFraming::Kind::kStream, 0});
    }
    if (held_.empty()) co_return Result<void>();
    ignore(outbox_.put(held_), "nothing was put before the first content");
    PENSTOCK_CO_CHECK(co_await flush());
    held_ = std::string();
    co_return Result<void>();
  }

  Result<void> hold(const json::Splice& bytes) {
    bytes.append_to(held_);
    if (buffered_) return hold_buffered();
    if (held_.size() <= kHeldMax) return {};
    return fail(ErrorCode::kUpstreamBadResponse,
                "The provider's stream has too much before its first content.");
  }

  // A whole reply, gathered before any of it is sent.
  Result<void> hold_buffered() {
    if (std::exchange(content_put_, false))
      silence_due_ = scope_.now() + scope_.provider->timeouts.idle;
    if (held_.size() > scope_.snapshot->limits.body_bytes.value)
      return fail(ErrorCode::kUpstreamBadResponse,
                  "The provider's stream is too long to be delivered whole.");
    return {};
  }

  Task<Result<void>> put(const json::Splice& bytes) {
    json::Splice::Segments segments;
    for (const std::string_view segment : bytes.segments(segments)) {
      if (!outbox_.put(segment)) {
        PENSTOCK_CO_CHECK(co_await flush());
        ignore(outbox_.put(segment), "an empty outbox has room");
      }
    }
    co_return Result<void>();
  }

  // Hands the client what is ready. Time-outs of the provider's silence run only while it is read:
  // they start anew behind content and stand still while the client keeps us waiting.
  Task<Result<void>> flush() {
    if (outbox_.empty()) co_return Result<void>();
    const TimePoint before = scope_.now();
    const net::IoEnd end = co_await scope_.exchange.write(outbox_.pieces());
    outbox_.clear();
    if (end != net::IoEnd::kOk) co_return fail(stopped());
    const TimePoint now = scope_.now();
    scope_.waited += now - before;
    put_off_heartbeat(scope_, now);
    silence_due_ += now - before;
    if (grace_due_) *grace_due_ += now - before;
    if (std::exchange(content_put_, false)) silence_due_ = now + scope_.provider->timeouts.idle;
    co_return Result<void>();
  }

  // The client gets its last bytes, the terminal among them.
  Task<Result<void>> finish() {
    over_ = true;
    const TimePoint before = scope_.now();
    const net::IoEnd end = co_await scope_.exchange.finish(outbox_.pieces());
    scope_.waited += scope_.now() - before;
    outbox_.clear();
    if (end != net::IoEnd::kOk) co_return fail(stopped());
    scope_.stop = "complete";
    scope_.stream_end = telemetry::StreamEnd::kTerminal;
    co_return Result<void>();
  }

  // Silence: heartbeats go to the client, and the first of the time-outs that comes ends it. Behind
  // the finish it is complete: then none of them makes an error of it.
  Task<Result<void>> wait() {
    const TimePoint before = scope_.now();
    if (grace_due_ && before >= std::min(*grace_due_, patience_end())) co_return co_await on_end();
    if (before >= patience_end()) co_return fail(ErrorCode::kDeadlineExceeded);
    if (!grace_due_ && before >= silence_due_) co_return fail(silent());
    if (before >= scope_.heartbeat_due) {
      PENSTOCK_CO_CHECK(co_await beat(scope_));
      scope_.waited += scope_.now() - before;
      co_return Result<void>();
    }
    const TimePoint due =
        std::min({grace_due_.value_or(silence_due_), scope_.heartbeat_due, patience_end()});
    const net::Wake wake = co_await call_.arrival().until(due);
    scope_.waited += scope_.now() - before;
    if (wake != net::Wake::kStop) co_return Result<void>();
    // After the finish only the terminal is missing: a client that is still there gets it.
    if (reader_.settled() && !scope_.exchange.client_left()) co_return co_await on_end();
    co_return fail(stopped());
  }

  // Content that is held for a buffered delivery counts as come.
  [[nodiscard]] TimePoint patience_end() const {
    return reader_.content_seen() ? scope_.deadline : scope_.patience_end();
  }

  Error silent() const {
    return Error(ErrorCode::kUpstreamTimeout, reader_.content_seen()
                                                  ? "The provider fell silent within the stream."
                                                  : "The provider sent no content in time.");
  }

  // The provider's bytes are over, or its grace is: what that means depends on what came.
  Task<Result<void>> on_end() {
    if (const std::optional<wire::SseEvent> last = parser_.finish()) {
      PENSTOCK_CO_CHECK(co_await on_upstream(*last, {}));
    } else if (is_bare_done(parser_.rest())) {
      PENSTOCK_CO_CHECK(co_await on_upstream(kDone, {}));
    }
    if (over_) co_return Result<void>();
    if (redaction_ && reader_.finished()) {
      PENSTOCK_CO_TRY(const StreamRedaction::Events rest, redaction_->finish());
      PENSTOCK_CO_CHECK(co_await on_masked(rest));
    }
    if (reader_.on_end() == openai::StreamEnd::kComplete) {
      PENSTOCK_CO_CHECK(co_await commit());
      ignore(outbox_.put(openai::kDoneEvent), "flushed before each wait");
      co_return co_await finish();
    }
    PENSTOCK_CO_CHECK(co_await flush());
    const auto sent = committed_ ? openai::Sent::kContent : openai::Sent::kNothing;
    co_return fail(openai::stream_error(openai::StreamFailure::kInterrupted, {}, sent));
  }

  // The client has everything. Where the body's end is near the connection may serve again; any
  // other byte behind the terminal makes it worthless.
  Task<Result<void>> close_upstream() {
    const TimePoint due = scope_.now() + kEndGrace;
    while (true) {
      const HttpCall::Piece piece = call_.next();
      if (piece.step == HttpCall::Step::kMore) {
        const TimePoint before = scope_.now();
        const net::Wake wake = co_await call_.arrival().until(due);
        scope_.waited += scope_.now() - before;
        if (wake != net::Wake::kInput) break;
        continue;
      }
      if (piece.step == HttpCall::Step::kEnd) scope_.connection_reusable = call_.reusable();
      break;
    }
    co_return Result<void>();
  }

  RequestScope& scope_;
  HttpCall& call_;
  wire::SseParser parser_;
  openai::StreamReader reader_;
  std::optional<StreamRedaction> redaction_;  // where replies are looked through
  std::string head_;
  std::string held_;  // events before the first content
  ByteLease parked_;
  Outbox outbox_;
  TimePoint silence_due_;
  std::optional<TimePoint> grace_due_;
  const bool buffered_;
  bool committed_ = false;
  bool content_put_ = false;  // since the last flush
  bool over_ = false;
};

}  // namespace

Task<Result<void>> relay_stream(RequestScope& scope, HttpCall& call, TimePoint first_byte_due) {
  StreamRelay stream(scope, call, first_byte_due);
  co_return co_await stream.run();
}

}  // namespace penstock::gateway
