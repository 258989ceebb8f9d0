#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

namespace penstock::runtime {

class AsioLoop;

// Delivers signals of the process to a loop, as plain calls on its thread.
class Signals {
 public:
  Signals(AsioLoop& loop, std::initializer_list<int> numbers, std::function<void(int)> on_signal);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Writes to a peer that left are errors, not signals.
void ignore_broken_pipes() noexcept;

}  // namespace penstock::runtime
