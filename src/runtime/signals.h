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

// Keeps a signal of the process pending until release_signal(), so that one which comes before
// anybody waits for it neither ends the process nor is lost. Both: of the calling thread and those
// that it begins in between; release on the thread that held.
void hold_signal(int number) noexcept;
void release_signal(int number) noexcept;

// Writes to a peer that left are errors, not signals.
void ignore_broken_pipes() noexcept;

}  // namespace penstock::runtime
