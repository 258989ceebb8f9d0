#include "store/redis/node.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/units.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/rest.h"
#include "runtime/task.h"
#include "store/redis/call.h"
#include "store/redis/client.h"
#include "store/redis/connection.h"
#include "store/redis/error_reply.h"
#include "store/redis/link.h"
#include "store/redis/outage.h"
#include "store/redis/standing.h"
#include "store/redis/value.h"

namespace penstock::store::redis {

using runtime::Task;

namespace {

// Asked for a key, a replica of a cluster names its master: then it is well, and knows the others.
// Without one it says no more than that it takes no writes.
constexpr const char* kProbeKey = "penstock:{probe}:probe";

}  // namespace

Node::Node(const NodeParts& parts, Place place, Kind kind)
    : parts_(parts),
      place_(std::move(place)),
      kind_(kind),
      last_moment_(parts.approach.loop.timers(), &Node::on_last_moment, this) {}

TimePoint Node::now() const { return parts_.approach.loop.clock().now(); }

std::string Node::name() const {
  const bool v6 = place_.host.find(':') != std::string::npos;
  return (v6 ? "[" + place_.host + "]" : place_.host) + ":" + std::to_string(place_.port);
}

Duration Node::jittered(Duration about) {
  const auto half = static_cast<std::uint64_t>(about.count()) / 2;
  return about - about / 4 + Duration(static_cast<std::int64_t>(parts_.rng.below(half + 1)));
}

Duration Node::backoff() {
  constexpr std::uint32_t kDoublingsMax = 6;
  const Duration about = kBackoffBase * (1U << std::min(attempts_, kDoublingsMax));
  return jittered(std::min(about, kProbeEvery));
}

bool Node::unwanted() const {
  return breaker_.open() && now() - wanted_at_ >= kForgetAfter &&
         parts_.user.others_are_well(*this);
}

void Node::tell_away(OutageReason why) {
  if (!std::exchange(told_away_, true)) parts_.standing.opened(name(), why, detail_);
}

void Node::tell_forgotten() {
  if (std::exchange(told_away_, false)) parts_.standing.forgot(name());
}

// --- Calls ---------------------------------------------------------------------------------------

void Node::refuse(std::unique_ptr<Call> call, OutageReason why) {
  fail_call(std::move(call), why, Effect::kNone, parts_.standing);
}

void Node::send(std::unique_ptr<Call> call) {
  if (leaving_) return refuse(std::move(call), OutageReason::kClosing);
  if (breaker_.open()) {
    wanted_at_ = now();
    tell_away(last_failure_);
    return refuse(std::move(call), OutageReason::kOpen);
  }
  call->node = this;
  if (link_ != nullptr && link_->open()) {
    if (link_->in_flight() >= Client::kInFlightMax || link_->unsent_bytes() >= kUnsentBytesMax)
      return refuse(std::move(call), OutageReason::kFull);
    return link_->send(std::move(call));
  }
  if (resting_) {
    failed(last_failure_, now());
    return refuse(std::move(call), last_failure_);
  }
  if (waiting_.size() >= Client::kInFlightMax) return refuse(std::move(call), OutageReason::kFull);
  waiting_.push_back(std::move(call));
}

void Node::gave_up(const Call& call, Overdue overdue) {
  if (call.sent) {
    if (overdue == Overdue::kYes && link_ != nullptr) link_->look_at_time();
    return;
  }
  const TimePoint began = call.began;
  // Among those that are overdue it is the first.
  const auto at = std::ranges::find(waiting_, &call, &std::unique_ptr<Call>::get);
  if (at != waiting_.end()) waiting_.erase(at);
  if (overdue == Overdue::kYes) failed(OutageReason::kTimedOut, began);
}

// Whoever is told may call again before this is through: that one is not meant.
void Node::fail_waiting(OutageReason why) {
  std::deque<std::unique_ptr<Call>> failing = std::exchange(waiting_, {});
  for (std::unique_ptr<Call>& call : failing) refuse(std::move(call), why);
}

void Node::replied(std::unique_ptr<Call> call, Value reply) {
  if (reply.kind == ValueKind::kError) return on_error(std::move(call), reply);
  breaker_.succeeded();
  attempts_ = 0;
  parts_.user.served(*call, *this);
  reply.list.erase(reply.list.begin());  // the id, which the link has looked at
  finish(std::move(call), std::move(reply.list), parts_.standing);
}

void Node::on_error(std::unique_ptr<Call> call, const Value& reply) {
  const ErrorReply error = judge_error(reply.text);
  // Nobody waits, and nothing was done: nothing is to be done.
  if (call->given_up() && error.kind != ErrorKind::kOutage) return;
  switch (error.kind) {
    case ErrorKind::kNoScript:
      if (call->whole_text) return refuse(std::move(call), OutageReason::kScript);
      call->whole_text = true;
      call->sent = false;
      // The link is where the answer came from; it is asked again also while we are leaving.
      if (link_ == nullptr || !link_->open()) return send(std::move(call));
      link_->forget_scripts();
      return link_->send(std::move(call));
    case ErrorKind::kMoved:
    case ErrorKind::kAsk:
      breaker_.succeeded();
      call->sent = false;
      return parts_.user.redirect(std::move(call), error, *this);
    case ErrorKind::kOutage: break;
  }
  if (error.reason == OutageReason::kClusterDown || error.reason == OutageReason::kRefused)
    probe_key_ = call->key;
  const bool ran = error.reason == OutageReason::kScript;  // up to some line
  if (error.blame == Blame::kNode) {
    detail_ = reply.text.substr(0, reply.text.find(' '));
    failed(error.reason, call->began);
  }
  fail_call(std::move(call), error.reason, ran ? Effect::kUnknown : Effect::kNone, parts_.standing);
}

void Node::link_ended(OutageReason why, WasBusy busy, TimePoint began) {
  if (why == OutageReason::kMismatched) parts_.standing.mismatched(name());
  const bool idle_close = why == OutageReason::kAway && busy == WasBusy::kNo;
  if (why == OutageReason::kClosing || idle_close) return;
  detail_.clear();
  last_failure_ = why;
  failed(why, began);
}

void Node::lost(std::unique_ptr<Call> call, OutageReason why) {
  fail_call(std::move(call), why, Effect::kUnknown, parts_.standing);
}

// --- The breaker ---------------------------------------------------------------------------------

void Node::failed(OutageReason why, TimePoint began) {
  if (breaker_.failed(why, began, now())) open_breaker(why);
}

void Node::open_breaker(OutageReason why) {
  wanted_at_ = now();
  attempt_at_ = wanted_at_ + jittered(kProbeEvery);
  tell_away(why);
  if (link_ != nullptr) link_->end(why);
  fail_waiting(why);
}

// --- The connection ------------------------------------------------------------------------------

bool Node::done() const noexcept {
  return stop_.requested() || (leaving_ && waiting_.empty()) ||
         (kind_ == Kind::kLearned && unwanted());
}

Task<void> Node::serve() {
  while (!done()) {
    if (attempt_at_ > now())
      ignore(co_await runtime::rest_until(parts_.approach.loop, stop_, attempt_at_), "see above");
    resting_ = false;
    if (done()) break;
    if (unwanted()) tell_forgotten();
    const TimePoint began = now();
    const runtime::CallContext context{stop_};
    Opened opened = co_await open_connection(parts_.approach, place_, probe_key_, context);
    if (opened.connection == nullptr)
      not_connected(opened, began);
    else
      co_await use(std::move(opened.connection));
  }
  fail_waiting(leaving_ ? OutageReason::kClosing : OutageReason::kOpen);
  last_moment_.disarm();
  tell_forgotten();
}

// Behind a connection that was of use the next attempt is made at once.
Task<void> Node::use(std::unique_ptr<Connection> connection) {
  if (breaker_.open()) {
    breaker_.close();
    if (std::exchange(told_away_, false)) parts_.standing.closed(name());
  }
  Link link(parts_.approach.loop, std::move(connection), parts_.timeout, *this);
  link_ = &link;
  ++attempts_;
  attempt_at_ = attempts_ <= 1 ? now() : now() + backoff();
  const TimePoint began = now();
  while (!waiting_.empty() && link.open()) {
    std::unique_ptr<Call> call = std::move(waiting_.front());
    waiting_.pop_front();
    link.send(std::move(call));
  }
  if (leaving_) link.finish();
  co_await link.serve();
  link_ = nullptr;
  if (now() - began >= kProbeEvery && !breaker_.open()) {  // idle for that long is of use, too
    attempts_ = 0;
    attempt_at_ = now();
  }
  resting_ = attempt_at_ > now();
}

void Node::not_connected(const Opened& opened, TimePoint began) {
  if (opened.reason == OutageReason::kClosing) return;
  ++attempts_;
  resting_ = true;
  last_failure_ = opened.reason;
  attempt_at_ = now() + (breaker_.open() ? jittered(kProbeEvery) : backoff());
  detail_ = opened.detail;
  if (opened.reason == OutageReason::kReadOnly && probe_key_.empty()) probe_key_ = kProbeKey;
  failed(opened.reason, began);
  fail_waiting(opened.reason);
}

void Node::stop() {
  leaving_ = true;
  last_moment_.arm(now() + parts_.timeout);
  if (link_ != nullptr) link_->finish();
  if (waiting_.empty()) stop_.request(runtime::StopReason::kShutdown);
}

void Node::on_last_moment(void* self) noexcept {
  auto& node = *static_cast<Node*>(self);
  node.stop_.request(runtime::StopReason::kShutdown);
  if (node.link_ != nullptr) node.link_->end(OutageReason::kClosing);
}

}  // namespace penstock::store::redis
