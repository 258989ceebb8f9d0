#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/redis/call.h"
#include "store/redis/client.h"
#include "store/redis/error_reply.h"
#include "store/redis/node.h"
#include "store/redis/slot.h"

namespace penstock::store::redis {

// The nodes that are known and which of them has which slot. A slot that nobody has told of belongs
// to the node of the config, or to any other that is well: it will say who has it.
class Nodes final : private NodeUser {
 public:
  static constexpr std::uint8_t kHopsMax = 3;

  Nodes(Approach approach, Duration timeout, Rng& rng, Standing& standing)
      : parts_{approach, timeout, rng, standing, *this} {}

  // Begins with the node of the config.
  void start(Place given);
  // Stops every node and waits for them.
  [[nodiscard]] runtime::Task<void> close();

  void send(std::unique_ptr<Call> call) { node_of(call->slot).send(std::move(call)); }
  [[nodiscard]] bool available(Slot slot) const noexcept { return node_of(slot).available(); }

 private:
  static constexpr std::uint8_t kNobody = 0xFF;
  static_assert(Client::kNodesMax < kNobody);

  void redirect(std::unique_ptr<Call> call, const ErrorReply& where, Node& from) override;
  void node_away(const Node& node) override;

  [[nodiscard]] Node& node_of(Slot slot) const noexcept;
  [[nodiscard]] std::uint8_t find_or_add(const Place& place);
  [[nodiscard]] runtime::Task<void> keep(std::size_t index);
  void add(std::size_t index, Place place, Node::Kind kind);

  NodeParts parts_;
  std::array<std::unique_ptr<Node>, Client::kNodesMax> nodes_;  // the first: of the config
  std::vector<std::uint8_t> owners_;  // of the slots; empty until one was told of
  runtime::TaskGroup serving_;
  bool closing_ = false;
};

}  // namespace penstock::store::redis
