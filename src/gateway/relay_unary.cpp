#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/byte_budget.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "control/token_hold.h"
#include "dialect/openai/error.h"
#include "dialect/openai/long_reply.h"
#include "dialect/openai/reply.h"
#include "gateway/attempt_error.h"
#include "gateway/attempt_watch.h"
#include "gateway/provider_reply.h"
#include "gateway/redaction.h"
#include "gateway/relay.h"
#include "gateway/reply_head.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "json/splice.h"
#include "net/arrival.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http_call.h"
#include "policy/redact_config.h"
#include "wire/framing.h"
#include "wire/header_list.h"
#include "wire/inflate.h"
#include "wire/response_head.h"

namespace penstock::gateway {

using net::HttpCall;
using runtime::Task;

namespace {

// Up to here a reply is held, so that one cut short is an error and not a broken transfer.
constexpr std::size_t kHeldMax = std::size_t{256} << 10;  // docs/reference/endpoints.md

constexpr std::size_t kInflatedMax = std::size_t{4} << 20;  // of a compressed reply
constexpr std::size_t kHeldStep = std::size_t{16} << 10;    // charged at a time

// A unary reply being gathered. What came whole with its head is used where it is.
struct Held {
  std::string_view bytes;
  std::string copy;
  ByteLease lease;
  bool complete = false;  // else: longer than held_max()
  bool passes = true;     // false: an error reply of which nothing may reach the client
};

// A reply that is looked through is held whole.
std::size_t held_max(const RequestScope& scope) {
  if (redaction_of(scope, policy::Direction::kResponse) == nullptr) return kHeldMax;
  return static_cast<std::size_t>(scope.snapshot->limits.body_bytes.value);
}

Error cut_short() {
  return Error(ErrorCode::kUpstreamBadResponse, "The provider's reply was cut short.");
}

// The next piece of the body, waited for. errors: as the client is to be told.
Task<Result<HttpCall::Piece>> next_piece(RequestScope& scope, HttpCall& call, TimePoint due) {
  while (true) {
    const HttpCall::Piece piece = call.next();
    switch (piece.step) {
      case HttpCall::Step::kEnd:
        scope.connection_reusable = call.reusable();  // whatever becomes of the reply
        co_return piece;
      case HttpCall::Step::kData: co_return piece;
      case HttpCall::Step::kCut: co_return fail(cut_short());
      case HttpCall::Step::kMalformed:
        co_return fail(ErrorCode::kUpstreamBadResponse, "The provider's chunks are malformed.");
      case HttpCall::Step::kMore: break;
    }
    const TimePoint before = scope.now();
    const TimePoint until = std::min(due, scope.patience_end());
    // A wait for what is there already does not look at the time.
    const net::Wake wake = before < until ? co_await call.arrival().until(until) : net::Wake::kTime;
    scope.waited += scope.now() - before;
    if (wake == net::Wake::kStop) co_return fail(stopped());
    if (wake == net::Wake::kTime)
      co_return fail(late(scope, "The provider fell silent within its reply."));
  }
}

// Charges `more` bytes to the bound that request bodies share, in steps.
bool charge(RequestScope& scope, Held& held, std::size_t more) {
  const Bytes wanted{held.copy.size() + more};
  return scope.worker.process.body_memory.raise(held.lease, wanted, Bytes{kHeldStep});
}

// Gathers the body up to held_max().
Task<Result<void>> hold(RequestScope& scope, HttpCall& call, TimePoint due, Held& held) {
  const Duration idle = scope.provider->timeouts.idle;
  const wire::Framing framing = call.head().framing;
  // An error's bytes are no content, nor is what came instead of a stream, which buys no time
  // either.
  const bool reply = call.head().status < 300;
  const bool instead = reply && scope.request.streamed();
  const std::size_t most = held_max(scope);
  while (true) {
    PENSTOCK_CO_TRY(const HttpCall::Piece piece, co_await next_piece(scope, call, due));
    if (piece.step == HttpCall::Step::kEnd) {
      held.complete = true;
      if (!held.copy.empty()) held.bytes = held.copy;
      co_return Result<void>();
    }
    if (reply && !instead && !scope.first_content) {
      scope.first_content = scope.now();
      scope.watch->content();
    }
    if (!instead) due = scope.now() + idle;
    if (framing.kind == wire::Framing::Kind::kLength && framing.length == piece.data.size()) {
      held.bytes = piece.data;  // stays where it is: nothing is read behind it
      continue;
    }
    if (!charge(scope, held, piece.data.size())) co_return fail(memory_full());
    held.copy += piece.data;
    held.bytes = held.copy;
    if (held.copy.size() > most) co_return Result<void>();
  }
}

// The error that a provider hid in a 200, or that its bytes are no reply at all.
std::optional<Error> hidden_error(const dialect::openai::ReplyView& view) {
  if (!view.well_formed)
    return Error(ErrorCode::kUpstreamBadResponse, "The provider's reply is not a JSON object.");
  if (!view.has_error) return std::nullopt;
  const dialect::openai::ProviderError said = dialect::openai::read_error(view.body);
  Error error(dialect::openai::classify(said));
  if (!said.message.empty()) error.message = "The provider said: " + said.message;
  return error;
}

// A provider that compressed unasked is passed on as it is; what was used is read from a copy.
// False when the reply's end is only where the connection closed and the copy says it was cut.
bool read_packed(RequestScope& scope, const wire::ResponseHead& reply, std::string_view bytes) {
  const std::string_view coding =
      reply.headers.find("content-encoding").value_or(std::string_view());
  const std::optional<std::string> plain = wire::inflate(coding, bytes, kInflatedMax);
  if (plain) scope.usage = dialect::openai::read_reply(*plain).usage;
  const bool readable = wire::can_inflate(coding);
  return plain || !readable || reply.framing.kind != wire::Framing::Kind::kUntilClose;
}

// What cannot be a reply is refused before any of it is sent, however long it is.
bool begins_an_object(std::string_view bytes) noexcept {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

// Sends some of a long reply, in as many writes as its pieces need.
Task<bool> send(RequestScope& scope, std::span<const std::string_view> pieces) {
  while (!pieces.empty()) {
    const auto some = pieces.first(std::min(pieces.size(), net::Exchange::kWritePieces));
    pieces = pieces.subspan(some.size());
    const TimePoint before = scope.now();
    const net::IoEnd end = co_await scope.exchange.write(some);
    scope.waited += scope.now() - before;
    if (end != net::IoEnd::kOk) co_return false;
  }
  co_return true;
}

// A reply that is too long to be held: passed on as it comes, restamped on the way where it can be
// read. A restamp may change its length, so that is not announced then.
Task<Result<void>> pass_on(RequestScope& scope, HttpCall& call, std::string head, Held& held) {
  using Kind = net::ReplyFraming::Kind;
  PENSTOCK_ASSERT(redaction_of(scope, policy::Direction::kResponse) == nullptr);
  const wire::Framing framing = call.head().framing;
  std::optional<dialect::openai::LongReply> stamped;
  if (call.head().status < 300 && !is_encoded(call.head().headers))
    stamped.emplace(scope.request.model);
  const bool sized = !stamped && framing.kind == wire::Framing::Kind::kLength;
  scope.content_sent = true;
  scope.exchange.begin(std::move(head), {sized ? Kind::kLength : Kind::kStream, framing.length});
  call.release_head();
  std::array<std::string_view, 1> bytes{held.bytes};
  while (true) {
    const std::span<const std::string_view> pieces = stamped ? stamped->feed(bytes[0]) : bytes;
    if (!co_await send(scope, pieces)) co_return fail(stopped());
    held.copy = std::string();
    held.lease = ByteLease();
    const TimePoint due = scope.now() + scope.provider->timeouts.idle;
    PENSTOCK_CO_TRY(const HttpCall::Piece piece, co_await next_piece(scope, call, due));
    if (piece.step == HttpCall::Step::kEnd) break;
    bytes[0] = piece.data;
  }
  if (stamped) {
    if (!co_await send(scope, stamped->finish())) co_return fail(stopped());
    scope.usage = stamped->usage();
    if (!stamped->complete()) co_return fail(cut_short());
  }
  if (co_await scope.exchange.finish() != net::IoEnd::kOk) co_return fail(stopped());
  co_return Result<void>();
}

// What was held becomes what may be seen of it. Behind this nothing else of the provider's is
// there. An error reply is masked whatever the action is: what a failure says is nothing that a
// model said; one that is no JSON document must not pass at all.
Result<void> take_redacted(RequestScope& scope, const wire::ResponseHead& reply, Held& held,
                           RedactedBody body) {
  std::optional<std::string> masked;
  if (reply.status < 300) {
    const WorkloadRedaction& redaction = *redaction_of(scope, policy::Direction::kResponse);
    PENSTOCK_TRY(masked, masked_reply(redaction, std::move(body.document)));
  } else if (body.document.well_formed) {
    masked = std::move(body.document.masked);
  } else {
    held.passes = false;
    masked.emplace();
  }
  if (!masked) return {};
  held.copy = *std::move(masked);
  held.bytes = held.copy;
  held.lease = std::move(body.memory);
  return {};
}

// kLong: redact_long_held() is to be awaited.
Result<RedactTurn> redact_held(RequestScope& scope, const wire::ResponseHead& reply, Held& held) {
  const WorkloadRedaction* const redaction = redaction_of(scope, policy::Direction::kResponse);
  if (redaction == nullptr) return RedactTurn::kDone;
  constexpr auto kReply = policy::Direction::kResponse;
  if (!held.complete)
    return fail(not_redacted(scope, kReply, "The reply is too long to be looked through."));
  if (is_encoded(reply.headers)) {
    const std::string_view coding = *reply.headers.find("content-encoding");
    std::optional<std::string> plain = wire::inflate(coding, held.bytes, kInflatedMax);
    if (!plain)
      return fail(not_redacted(scope, kReply, "The reply's coding cannot be looked through."));
    held.copy = *std::move(plain);
    held.bytes = held.copy;
    if (!charge(scope, held, 0)) return fail(memory_full());
  }
  if (held.bytes.size() > kAtOnceBytes) return RedactTurn::kLong;
  PENSTOCK_TRY(RedactedBody body, redact_body(scope, *redaction, kReply, held.bytes));
  PENSTOCK_CHECK(take_redacted(scope, reply, held, std::move(body)));
  return RedactTurn::kDone;
}

Task<Result<void>> redact_long_held(RequestScope& scope, const wire::ResponseHead& reply,
                                    Held& held) {
  constexpr auto kReply = policy::Direction::kResponse;
  PENSTOCK_CO_TRY(RedactedBody body, co_await redact_long_body(scope, *redaction_of(scope, kReply),
                                                               kReply, held.bytes));
  co_return take_redacted(scope, reply, held, std::move(body));
}

}  // namespace

Task<Result<void>> no_stream(RequestScope& scope, HttpCall& call, TimePoint first_byte_due) {
  Held held;
  PENSTOCK_CO_CHECK(co_await hold(scope, call, first_byte_due, held));
  PENSTOCK_CO_TRY(const RedactTurn turn, redact_held(scope, call.head(), held));
  if (turn == RedactTurn::kLong)
    PENSTOCK_CO_CHECK(co_await redact_long_held(scope, call.head(), held));
  if (held.complete) {
    const dialect::openai::ReplyView view = dialect::openai::read_reply(held.bytes);
    if (view.has_error)
      if (std::optional<Error> said = hidden_error(view)) co_return fail(*std::move(said));
  }
  co_return fail(ErrorCode::kUpstreamBadResponse, "The provider did not answer with a stream.");
}

Task<Result<void>> relay_unary(RequestScope& scope, HttpCall& call, TimePoint first_byte_due) {
  const wire::ResponseHead& reply = call.head();
  const bool good = reply.status < 300;
  Held held;
  PENSTOCK_CO_CHECK(co_await hold(scope, call, first_byte_due, held));
  PENSTOCK_CO_TRY(const RedactTurn turn, redact_held(scope, reply, held));
  if (turn == RedactTurn::kLong) PENSTOCK_CO_CHECK(co_await redact_long_held(scope, reply, held));
  dialect::openai::ReplyView view;
  view.body = held.bytes;
  const bool redacted = redaction_of(scope, policy::Direction::kResponse) != nullptr;
  const bool encoded = !redacted && is_encoded(reply.headers);
  if (good && encoded && held.complete && !read_packed(scope, reply, held.bytes))
    co_return fail(cut_short());
  if (good && !encoded && !held.complete && !begins_an_object(held.bytes))
    co_return fail(ErrorCode::kUpstreamBadResponse, "The provider's reply is not a JSON object.");
  const bool readable = good && held.complete && !encoded;
  if (readable) {
    view = dialect::openai::read_reply(held.bytes);
    if (std::optional<Error> hidden = hidden_error(view)) co_return fail(*std::move(hidden));
    scope.usage = view.usage;
  }
  if (good) scope.relayed_tokens = control::estimated_input(held.bytes.size());
  // Where a heartbeat has opened the stream even a long one can only be told within it.
  if (!good && (held.complete || scope.exchange.begun())) {
    Error error = hold_error(scope, reply, held.bytes);
    if (!held.passes) scope.said.error.reset();
    co_return fail(std::move(error));
  }
  scope.status = static_cast<std::uint16_t>(reply.status);
  std::string head = good ? relayed_head(scope, reply) : provider_error_head(scope, reply);
  if (!held.complete) {
    PENSTOCK_CO_CHECK(co_await pass_on(scope, call, std::move(head), held));
  } else {
    const json::Splice stamped =
        readable ? dialect::openai::restamp(view, scope.request.model) : json::Splice(held.bytes);
    json::Splice::Segments segments;
    scope.content_sent = true;
    const TimePoint before = scope.now();
    const net::IoEnd sent =
        co_await scope.exchange.reply(std::move(head), stamped.segments(segments));
    scope.waited += scope.now() - before;
    if (sent != net::IoEnd::kOk) co_return fail(stopped());
  }
  scope.stop = good ? "complete" : "error";
  co_return Result<void>();
}

}  // namespace penstock::gateway
