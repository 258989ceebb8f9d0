#include "store/redis/nodes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

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
  if (!closing_) nodes_[index].reset();
}

Task<void> Nodes::close() {
  closing_ = true;
  for (const std::unique_ptr<Node>& node : nodes_)
    if (node != nullptr) node->stop();
  co_await serving_.join();
}

Node& Nodes::node_of(Slot slot) const noexcept {
  const std::uint8_t owner = owners_.empty() ? kNobody : owners_[slot];
  if (owner != kNobody && nodes_[owner] != nullptr) return *nodes_[owner];
  if (nodes_.front()->available() || owners_.empty()) return *nodes_.front();
  const auto well = std::ranges::find_if(nodes_, [](const std::unique_ptr<Node>& node) {
    return node != nullptr && node->available();
  });
  return well == nodes_.end() ? *nodes_.front() : **well;
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
  if (where.kind == ErrorKind::kMoved) {
    if (owners_.empty()) owners_.assign(kSlots, kNobody);
    owners_[where.slot] = index;
  }
  nodes_[index]->send(std::move(call));
}

void Nodes::node_away(const Node& node) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].get() == &node)
      std::ranges::replace(owners_, static_cast<std::uint8_t>(i), kNobody);
}

}  // namespace penstock::store::redis
