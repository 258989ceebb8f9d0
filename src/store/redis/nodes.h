#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/redis/call.h"
#include "store/redis/client.h"
#include "store/redis/error_reply.h"
#include "store/redis/node.h"
#include "store/redis/slot.h"

namespace penstock::store::redis {

// The nodes that are known and which of them has which slot. A slot that nobody has told of belongs
// to the node of the config. While the node of a slot is away, calls to the slot are its failures
// at once, but for one in each kAskEvery: that one goes to a node that is well, each time to
// another one, which says who has the slot now.
class Nodes final : private NodeUser {
 public:
  static constexpr std::uint8_t kHopsMax = 3;
  static constexpr Duration kAskEvery = 250ms;  // for each slot whose node is away

  Nodes(Approach approach, Duration timeout, Rng& rng, Standing& standing)
      : parts_{approach, timeout, rng, standing, *this} {}

  // Begins with the node of the config.
  void start(Place given);
  // Stops every node and waits for them.
  [[nodiscard]] runtime::Task<void> close();

  void send(std::unique_ptr<Call> call);
  // Whether a call of the slot would be sent.
  [[nodiscard]] bool available(Slot slot) const noexcept;

 private:
  static constexpr std::uint8_t kNobody = 0xFF;
  static_assert(Client::kNodesMax < kNobody);

  void redirect(std::unique_ptr<Call> call, const ErrorReply& where, Node& from) override;
  void served(const Call& call, const Node& by) override;
  [[nodiscard]] bool others_are_well(const Node& node) const override;
  void note_owner(Slot slot, std::uint8_t index);

  [[nodiscard]] Node& owner_of(Slot slot) const noexcept;
  // Whom to ask who has the slot of a node that is away; nullptr: nobody is well, or it was asked.
  [[nodiscard]] Node* adviser_for(Slot slot) const noexcept;
  [[nodiscard]] bool asked(Slot slot) const noexcept;
  void note_asked(Slot slot);
  [[nodiscard]] std::uint8_t find_or_add(const Place& place);
  [[nodiscard]] runtime::Task<void> keep(std::size_t index);
  void add(std::size_t index, Place place, Node::Kind kind);

  NodeParts parts_;
  std::array<std::unique_ptr<Node>, Client::kNodesMax> nodes_;  // the first: of the config
  std::vector<std::uint8_t> owners_;  // of the slots; empty until one was told of
  std::vector<bool> asked_;           // for which slots others were asked until asked_until_
  TimePoint asked_until_;
  std::size_t turn_ = 0;  // of the advisers
  runtime::TaskGroup serving_;
  bool closing_ = false;
};

}  // namespace penstock::store::redis
