#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/label_tuple.h"

namespace penstock {

// Series of one family in one shard; beyond this, configured names fall together into "other".
inline constexpr std::size_t kSeriesMaxDefault = 4096;

// The series of one metric family in one worker's shard. The owning worker finds and adds;
// any other thread may walk what has been published, at any time. Series are never removed.
template <class Series, class... Labels>
class SeriesTable {
 public:
  explicit SeriesTable(std::size_t series_max) : series_max_(series_max) {}
  SeriesTable(const SeriesTable&) = delete;
  SeriesTable& operator=(const SeriesTable&) = delete;
  ~SeriesTable() {
    for (Node* node = newest_.load(std::memory_order_relaxed); node != nullptr;)
      delete std::exchange(node, node->older);
  }

  // The series of these labels, valid for the life of the table. Owner only.
  // cost: about 5 ns once the series exists; the first time it allocates.
  template <class... Args>
  [[nodiscard]] Series& find_or_add(LabelTuple key, const Args&... args) {
    if (Node* node = find(key)) [[likely]]
      return node->series;
    if (size_ >= series_max_) {
      key = overflow_labels<Labels...>(key);
      if (Node* node = find(key)) return node->series;
    }
    return add(key, args...).series;
  }

  // Calls visit(LabelTuple, const Series&) for each series. Any thread.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const Node* node = newest_.load(std::memory_order_acquire); node != nullptr;
         node = node->older)
      visit(node->key, node->series);
  }

 private:
  struct alignas(64) Node {  // a cache line of its own: no false sharing between workers
    template <class... Args>
    Node(LabelTuple k, Node* o, const Args&... args) : key(k), older(o), series(args...) {}
    const LabelTuple key;
    Node* const older;
    Series series;
  };
  struct Slot {
    LabelTuple key;
    Node* node = nullptr;
  };

  [[nodiscard]] Node* find(LabelTuple key) const noexcept {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = home(key);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.node == nullptr || slot.key == key) return slot.node;
    }
  }

  [[nodiscard]] std::size_t home(LabelTuple key) const noexcept {
    return static_cast<std::size_t>(key.hash() >> shift_);
  }

  [[nodiscard]] Node& add(LabelTuple key, const auto&... args) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    Node* node = new Node(key, newest_.load(std::memory_order_relaxed), args...);
    put(key, node);
    ++size_;
    newest_.store(node, std::memory_order_release);
    return *node;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 8 : slots_.size() * 2);
    old.swap(slots_);
    shift_ = 64 - std::countr_zero(slots_.size());
    for (const Slot& slot : old)
      if (slot.node != nullptr) put(slot.key, slot.node);
  }

  void put(LabelTuple key, Node* node) noexcept {
    std::size_t at = home(key);
    while (slots_[at].node != nullptr) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = Slot{key, node};
  }

  std::size_t series_max_;
  std::size_t size_ = 0;
  int shift_ = 0;
  std::vector<Slot> slots_;  // open addressing, at most half full; the owner's alone
  std::atomic<Node*> newest_{nullptr};
};

}  // namespace penstock
