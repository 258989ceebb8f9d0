#include "store/redis/nodes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/units.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/redis/call.h"
#include "store/redis/error_reply.h"
#include "store/redis/node.h"
#include "store/redis/outage.h"
#include "store/redis/slot.h"

namespace penstock::store::redis {

using runtime::Task;

void Nodes::start(Place given) { add(0, std::move(given), Node::Kind::kGiven); }

void Nodes::add(std::size_t index, Place place, Node::Kind kind) {
  nodes_[index] = std::make_unique<Node>(parts_, std::move(place), kind);
  serving_.spawn(keep(index));
}

Task<void> Nodes::keep(std::size_t index) {
  co_await nodes_[index]->serve();
  if (closing_) co_return;
  nodes_[index].reset();
  std::ranges::replace(owners_, static_cast<std::uint8_t>(index), kNobody);
}

Task<void> Nodes::close() {
  closing_ = true;
  for (const std::unique_ptr<Node>& node : nodes_)
    if (node != nullptr) node->stop();
  co_await serving_.join();
}

Node& Nodes::owner_of(Slot slot) const noexcept {
  const std::uint8_t owner = owners_.empty() ? kNobody : owners_[slot];
  return owner == kNobody ? *nodes_.front() : *nodes_[owner];
}

bool Nodes::asked(Slot slot) const noexcept {
  return parts_.approach.loop.clock().now() < asked_until_ && asked_[slot];
}

Node* Nodes::adviser_for(Slot slot) const noexcept {
  if (owners_.empty() || asked(slot)) return nullptr;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node* const node = nodes_[(turn_ + i) % nodes_.size()].get();
    if (node != nullptr && node->available()) return node;
  }
  return nullptr;
}

void Nodes::note_asked(Slot slot) {
  const TimePoint now = parts_.approach.loop.clock().now();
  if (now >= asked_until_) {
    asked_until_ = now + kAskEvery;
    asked_.assign(kSlots, false);
    ++turn_;
  }
  asked_[slot] = true;
}

bool Nodes::available(Slot slot) const noexcept {
  return owner_of(slot).available() || adviser_for(slot) != nullptr;
}

void Nodes::send(std::unique_ptr<Call> call) {
  Node* to = &owner_of(call->slot);
  if (!to->available()) {
    if (Node* const adviser = adviser_for(call->slot)) {
      note_asked(call->slot);
      to = adviser;
    }
  }
  to->send(std::move(call));
}

std::uint8_t Nodes::find_or_add(const Place& place) {
  std::uint8_t free = kNobody;
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    const auto i = static_cast<std::uint8_t>(at);
    if (nodes_[i] == nullptr) {
      free = std::min(free, i);
    } else if (nodes_[i]->place().host == place.host && nodes_[i]->place().port == place.port) {
      return i;
    }
  }
  if (free != kNobody) add(free, place, Node::Kind::kLearned);
  return free;
}

void Nodes::note_owner(Slot slot, std::uint8_t index) {
  if (owners_.empty()) owners_.assign(kSlots, kNobody);
  owners_[slot] = index;
}

void Nodes::redirect(std::unique_ptr<Call> call, const ErrorReply& where, Node& from) {
  Place place = where.place;
  if (place.host.empty()) place.host = from.place().host;
  const bool lost = closing_ || call->hops == kHopsMax;
  const std::uint8_t index = lost ? kNobody : find_or_add(place);
  if (index == kNobody) {
    const OutageReason why = closing_ ? OutageReason::kClosing : OutageReason::kClusterDown;
    return fail_call(std::move(call), why, Effect::kNone, parts_.standing);
  }
  ++call->hops;
  call->asking = where.kind == ErrorKind::kAsk;
  call->whole_text = false;
  if (where.kind == ErrorKind::kMoved) note_owner(where.slot, index);
  nodes_[index]->send(std::move(call));
}

// The node of the slot is away, and who was asked in its place has the slot itself.
void Nodes::served(const Call& call, const Node& by) {
  if (call.asking || owner_of(call.slot).available()) return;
  const auto at = std::ranges::find(nodes_, &by, &std::unique_ptr<Node>::get);
  if (at != nodes_.end()) note_owner(call.slot, static_cast<std::uint8_t>(at - nodes_.begin()));
}

bool Nodes::others_are_well(const Node& node) const {
  return std::ranges::any_of(nodes_, [&](const std::unique_ptr<Node>& other) {
    return other != nullptr && other.get() != &node && other->available();
  });
}

}  // namespace penstock::store::redis
