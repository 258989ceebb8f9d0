#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/rng.h"

namespace penstock::test {

// The smallest draw for which Rng::below(bound) gives `value`. value < bound.
[[nodiscard]] constexpr std::uint64_t draw(std::uint64_t value, std::uint64_t bound) {
  const unsigned __int128 scaled = static_cast<unsigned __int128>(value) << 64;
  return static_cast<std::uint64_t>((scaled + bound - 1) / bound);
}

// Gives the draws it was told, in order; asserts when they run out. A fork takes from the same
// draws, so the test says the order in which the code under test asks.
class ScriptedRng final : public Rng {
 public:
  ScriptedRng(std::initializer_list<std::uint64_t> draws)
      : draws_(std::make_shared<std::deque<std::uint64_t>>(draws)) {}

  [[nodiscard]] std::uint64_t next() override {
    PENSTOCK_ASSERT(!draws_->empty());
    const std::uint64_t drawn = draws_->front();
    draws_->pop_front();
    return drawn;
  }
  [[nodiscard]] std::unique_ptr<Rng> fork(std::string_view) override {
    return std::unique_ptr<Rng>(new ScriptedRng(draws_));
  }
  void add(std::uint64_t drawn) { draws_->push_back(drawn); }
  [[nodiscard]] std::size_t left() const noexcept { return draws_->size(); }

 private:
  explicit ScriptedRng(std::shared_ptr<std::deque<std::uint64_t>> draws)
      : draws_(std::move(draws)) {}
  std::shared_ptr<std::deque<std::uint64_t>> draws_;
};

}  // namespace penstock::test
