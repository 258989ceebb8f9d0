#include "store/redis/client.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/units.h"
#include "crypto/hex.h"
#include "crypto/random.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/redis/call.h"
#include "store/redis/command_text.h"
#include "store/redis/connection.h"
#include "store/redis/endpoint.h"
#include "store/redis/error_reply.h"
#include "store/redis/node.h"
#include "store/redis/nodes.h"
#include "store/redis/outage.h"
#include "store/redis/slot.h"
#include "store/redis/standing.h"

namespace penstock::store::redis {
namespace {

constexpr Duration kConnect = 100ms;  // reliability.md 2.4

std::array<std::byte, 8> random_bytes() {
  std::array<std::byte, 8> bytes;
  crypto::fill_random(bytes);
  return bytes;
}

}  // namespace

class Client::Impl {
 public:
  Impl(runtime::EventLoop& loop, net::Dialer& dialer, std::shared_ptr<const Endpoint> endpoint,
       Options options, std::unique_ptr<Rng> rng, Standing& standing)
      : loop(loop),
        endpoint(std::move(endpoint)),
        timeout(options.timeout),
        rng(std::move(rng)),
        standing(standing),
        nodes(Approach{loop, dialer, *this->endpoint, kConnect, options.timeout}, options.timeout,
              *this->rng, standing) {
    PENSTOCK_ASSERT(!this->endpoint->encrypted || this->endpoint->tls != nullptr);
    crypto::hex_encode_to(random_bytes(), std::span(id_base_).first(kIdHalf));
  }

  // What can be told without making a call of it.
  [[nodiscard]] std::optional<OutageReason> refusal(const Command& command, TimePoint due) const {
    PENSTOCK_ASSERT(!command.keys.empty());
    if (!nodes.available(slot_of_key(command.keys.front()))) return OutageReason::kOpen;
    if (due <= loop.clock().now()) return OutageReason::kDeadline;
    return std::nullopt;
  }

  [[nodiscard]] std::unique_ptr<Call> make_call(const Command& command) {
    auto call = std::make_unique<Call>();
    call->script = &command.script;
    call->key = command.keys.front();
    call->slot = slot_of_key(command.keys.front());
    call->began = loop.clock().now();
    call->id = id_base_;
    fmt::format_to_n(call->id.data() + kIdHalf, kIdHalf, "{:016x}", ++calls_);
    call->word_count = 1 + command.keys.size() + command.arguments.size() + 1;
    append_word(call->words, std::to_string(command.keys.size()));
    for (const std::string_view key : command.keys) append_word(call->words, key);
    for (const std::string_view argument : command.arguments) append_word(call->words, argument);
    append_word(call->words, call->id_text());
    return call;
  }

  runtime::EventLoop& loop;
  std::shared_ptr<const Endpoint> endpoint;
  Duration timeout;
  std::unique_ptr<Rng> rng;
  Standing& standing;
  Nodes nodes;

 private:
  static constexpr std::size_t kIdHalf = 16;  // the client's, then the call's
  CallId id_base_{};
  std::uint64_t calls_ = 0;
};

Client::Client(runtime::EventLoop& loop, net::Dialer& dialer,
               std::shared_ptr<const Endpoint> endpoint, Options options, std::unique_ptr<Rng> rng,
               Standing& standing)
    : impl_(std::make_unique<Impl>(loop, dialer, std::move(endpoint), options, std::move(rng),
                                   standing)) {}

Client::~Client() = default;

void Client::start() {
  impl_->nodes.start(Place{.host = impl_->endpoint->host, .port = impl_->endpoint->port});
}

runtime::Task<void> Client::close() { co_await impl_->nodes.close(); }

runtime::Task<RunResult> Client::run(const Command& command, TimePoint due) {
  Impl& it = *impl_;
  if (const std::optional<OutageReason> at_once = it.refusal(command, due)) {
    it.standing.failed(*at_once);
    co_return std::unexpected(Outage{*at_once, Effect::kNone});
  }
  CallWaiter waiter(it.loop);
  std::unique_ptr<Call> made = it.make_call(command);
  const TimePoint time_out = made->began + it.timeout;
  made->waiter = &waiter;
  waiter.call = made.get();
  it.nodes.send(std::move(made));
  if (!waiter.result)
    ignore(co_await waiter.alarm.until(std::min(due, time_out)), "the result tells");
  if (!waiter.result) {
    Call& call = *waiter.call;
    call.waiter = nullptr;
    const bool ours = time_out <= due;
    const Outage outage{ours ? OutageReason::kTimedOut : OutageReason::kDeadline,
                        call.sent ? Effect::kUnknown : Effect::kNone};
    waiter.result.emplace(std::unexpected(outage));
    call.node->gave_up(call, ours ? Overdue::kYes : Overdue::kNo);
  }
  if (!*waiter.result) it.standing.failed(waiter.result->error().reason);
  co_return *std::move(waiter.result);
}

bool Client::post(const Command& command) {
  if (const auto at_once = impl_->refusal(command, TimePoint::max())) {
    impl_->standing.failed(*at_once);
    return false;
  }
  std::unique_ptr<Call> call = impl_->make_call(command);
  call->posted = true;
  impl_->nodes.send(std::move(call));
  return true;
}

bool Client::available(std::string_view tag) const noexcept {
  return impl_->nodes.available(slot_of_tag(tag));
}

}  // namespace penstock::store::redis
