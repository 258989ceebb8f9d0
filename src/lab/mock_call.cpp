#include "lab/mock_call.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "dialect/openai/models.h"
#include "dialect/surface.h"
#include "lab/answer.h"
#include "lab/ask.h"
#include "lab/fault.h"
#include "lab/faulty_stream.h"
#include "lab/mock_path.h"
#include "lab/mock_reply.h"
#include "lab/mock_state.h"
#include "lab/mock_stats.h"
#include "lab/pause.h"
#include "lab/stream_script.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "runtime/event_loop.h"
#include "wire/header_list.h"
#include "wire/request_head.h"

namespace penstock::lab {
namespace {

using dialect::Surface;
using net::IoEnd;
using runtime::Task;

constexpr std::size_t kBodyBytesMax = std::size_t{256} << 20;
constexpr Fault kNoFault;

Surface surface_of(MockPath path) noexcept {
  switch (path) {
    case MockPath::kChat: return Surface::kChat;
    case MockPath::kCompletions: return Surface::kCompletions;
    case MockPath::kEmbeddings: return Surface::kEmbeddings;
    case MockPath::kNone:
    case MockPath::kModels:
    case MockPath::kModel:
    case MockPath::kHealth:
    case MockPath::kFault:
    case MockPath::kStats:
    case MockPath::kReset: return Surface::kNone;
  }
  return Surface::kNone;
}

bool completes(MockPath path) noexcept { return surface_of(path) != Surface::kNone; }

// Health stays well when only completions are to fail.
const Fault& fault_for(const Fault& set, MockPath path) noexcept {
  return set.healthy_but_failing && !completes(path) ? kNoFault : set;
}

bool bears_key(const wire::HeaderList& headers, std::string_view key) {
  for (const std::string_view name : {"authorization", "x-api-key", "api-key"}) {
    std::string_view value = headers.find(name).value_or(std::string_view());
    if (value.starts_with("Bearer ")) value.remove_prefix(7);
    if (value == key) return true;
  }
  return false;
}

}  // namespace

MockCall::MockCall(MockState& state, runtime::EventLoop& loop, net::Exchange& exchange,
                   FaultyStream& stream, MockPath path)
    : state_(state),
      loop_(loop),
      exchange_(exchange),
      stream_(stream),
      path_(path),
      set_(state.fault()),
      fault_(fault_for(set_->fault, path)),
      alarm_(loop),
      hook_(exchange.cancellation(), &MockCall::stop, this) {}

Pause MockCall::pause(Duration time) noexcept {
  return Pause(alarm_.until(loop_.clock().now() + time));
}

Result<void> MockCall::check_access() const {
  const wire::RequestHead& head = exchange_.head();
  if (path_ == MockPath::kNone) return fail(ErrorCode::kNotFound);
  const bool read_only = head.method == "GET" || head.method == "HEAD";
  if (completes(path_) ? head.method != "POST" : !read_only)
    return fail(ErrorCode::kMethodNotAllowed);
  if (state_.key().empty() || path_ == MockPath::kHealth || bears_key(head.headers, state_.key()))
    return {};
  return fail(ErrorCode::kUnauthenticated);
}

Task<void> MockCall::run() {
  const net::BodyLimits limits{
      .memory = state_.body_memory, .bytes_max = kBodyBytesMax, .wait = 60s};
  Result<std::string_view> body = co_await exchange_.read_body(limits);
  if (!body) co_return co_await reply_error(exchange_, std::move(body).error());
  exchange_.watch_client();
  if (Result<void> access = check_access(); !access)
    co_return co_await reply_error(exchange_, std::move(access).error());
  stream_.plan({.reset_after = fault_.reset_after_bytes,
                .packets = fault_.one_byte_packets ? FaultyStream::Packets::kOneByte
                                                   : FaultyStream::Packets::kWhole});
  if (completes(path_)) co_return co_await complete(*body);
  if (fault_.hang) co_await forever();
  if (fault_.latency != Duration::zero()) co_await pause(fault_.latency);
  if (told_to_stop() || co_await ordered_reply()) co_return;
  if (path_ == MockPath::kHealth) co_return co_await reply_json(exchange_, R"({"status":"ok"})");
  co_await list_models();
}

Task<void> MockCall::list_models() {
  static constexpr dialect::openai::ModelRow kRows[] = {{"mock", 1'700'000'000, "penstock"},
                                                        {"mock-small", 1'700'000'000, "penstock"},
                                                        {"mock-embed", 1'700'000'000, "penstock"}};
  if (path_ == MockPath::kModels)
    co_return co_await reply_json(exchange_, dialect::openai::models_body(kRows));
  dialect::openai::ModelRow row = kRows[0];
  row.id = model_in(exchange_.head().target);
  co_await reply_json(exchange_, dialect::openai::model_body(row));
}

// The request is counted from here to its end, whatever becomes of it.
Task<void> MockCall::complete(std::string_view body) {
  Result<Ask> ask = read_ask(body, surface_of(path_));
  std::optional<MockStats::Serving> serving;
  if (ask)
    serving.emplace(state_.stats, *ask);
  else
    state_.stats.add_failed();
  const auto slot = co_await state_.slots.take(loop_, exchange_.cancellation());
  if (slot && fault_.hang) co_await forever();
  if (slot && fault_.latency != Duration::zero()) co_await pause(fault_.latency);
  const bool ordered = slot && !told_to_stop() && co_await ordered_reply();
  if (slot && !ordered && !told_to_stop()) {
    if (ask)
      co_await answer(*ask);
    else
      co_await reply_error(exchange_, ask.error());
  }
  if (!serving) co_return;
  serving->sent(tokens_sent_);
  if (told_to_stop() && !done_) serving->cancelled();
}

// The status that a fault gives this request; nullopt: it is to be answered.
std::optional<int> MockCall::ordered_status() {
  const int failing = static_cast<int>(fault_.status.value_or(500));
  if (fault_.error_millionths) {
    if (!completes(path_) || !fault_.fails(state_.stats.next_draw())) return std::nullopt;
    return failing;
  }
  if (fault_.healthy_but_failing) return failing;
  if (fault_.body) return static_cast<int>(fault_.status.value_or(200));
  return fault_.status.value_or(0) >= 400 ? std::optional(failing) : std::nullopt;
}

// True when there was one, and it was sent.
Task<bool> MockCall::ordered_reply() {
  const std::optional<int> status = ordered_status();
  if (!status) co_return false;
  std::string body = fault_.body ? *fault_.body : ordered_error(*status);
  std::string head = mock_head(*status, media_type_of(body), 0);
  done_ = co_await send_reply(exchange_, std::move(head), std::move(body)) == IoEnd::kOk;
  co_return true;
}

Task<void> MockCall::answer(const Ask& ask) {
  if (ask.stream) co_return co_await stream(ask);
  std::string body;
  std::uint64_t tokens = 0;
  Duration time = fault_.first_token;
  if (ask.surface == Surface::kEmbeddings) {
    body = embeddings_body(ask, fault_);
  } else {
    const Answer answer(ask, fault_);
    tokens = answer.tokens() * ask.choices;
    time += fault_.inter_token * static_cast<std::int64_t>(answer.tokens() - 1);
    body = reply_body(answer, fault_);
  }
  if (time != Duration::zero()) co_await pause(time);
  if (told_to_stop()) co_return;
  std::string head = mock_head(200, kJsonType, ask.seed);
  done_ = co_await send_reply(exchange_, std::move(head), std::move(body)) == IoEnd::kOk;
  if (done_) tokens_sent_ = tokens;
}

// Sends the head by itself.
Task<bool> MockCall::begin_now() { co_return co_await exchange_.write({}) == IoEnd::kOk; }

Task<void> MockCall::stream(const Ask& ask) {
  const Answer answer(ask, fault_);
  StreamScript script(answer, fault_);
  exchange_.begin(mock_head(200, kEventStreamType, ask.seed), net::ReplyFraming{});
  TimePoint due = loop_.clock().now();  // kept, so that late timers do not add up
  for (std::uint64_t sent = 0;; ++sent) {
    const bool cut = fault_.cut_after_chunks == sent;
    const bool stall = fault_.stall_after_chunks == sent;
    const auto event = cut || stall ? std::nullopt : script.next();
    const bool first = event && event->pace == StreamScript::Pace::kFirstToken;
    const bool paced = event && event->pace != StreamScript::Pace::kAtOnce;
    const Duration time = first   ? fault_.first_token
                          : paced ? fault_.inter_token
                                  : Duration::zero();
    const bool head_first = cut || stall || time != Duration::zero();
    if (sent == 0 && head_first && !co_await begin_now()) co_return;
    if (cut) {
      stream_.end_properly();
      co_return exchange_.break_off();
    }
    if (stall) {
      co_await forever();
      co_return;
    }
    if (!event) break;
    if (time != Duration::zero()) {
      due = (first ? loop_.clock().now() : due) + time;
      co_await Pause(alarm_.until(due));
    }
    if (told_to_stop()) co_return;
    const std::string_view pieces[] = {event->bytes};
    if (co_await exchange_.write(pieces) != IoEnd::kOk) co_return;
    tokens_sent_ = script.tokens();
  }
  done_ = co_await exchange_.finish() == IoEnd::kOk;
}

}  // namespace penstock::lab
