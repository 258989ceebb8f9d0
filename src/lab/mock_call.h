#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/units.h"
#include "lab/ask.h"
#include "lab/fault.h"
#include "lab/faulty_stream.h"
#include "lab/mock_path.h"
#include "lab/mock_state.h"
#include "lab/pause.h"
#include "net/exchange.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::lab {

// One request to the mock provider, with the faults that were set when it came.
class MockCall {
 public:
  MockCall(MockState& state, runtime::EventLoop& loop, net::Exchange& exchange,
           FaultyStream& stream, MockPath path);
  MockCall(const MockCall&) = delete;
  MockCall& operator=(const MockCall&) = delete;

  // Answers, or does instead what the faults say.
  [[nodiscard]] runtime::Task<void> run();

 private:
  [[nodiscard]] runtime::Task<void> complete(std::string_view body);
  [[nodiscard]] runtime::Task<void> answer(const Ask& ask);
  [[nodiscard]] runtime::Task<void> stream(const Ask& ask);
  [[nodiscard]] runtime::Task<void> list_models();
  [[nodiscard]] runtime::Task<bool> ordered_reply();
  [[nodiscard]] runtime::Task<bool> begin_now();

  [[nodiscard]] Result<void> check_access() const;
  [[nodiscard]] std::optional<int> ordered_status();
  // co_await pause(…): ends early when the client leaves; then told_to_stop().
  [[nodiscard]] Pause pause(Duration time) noexcept;
  [[nodiscard]] Pause forever() noexcept { return Pause(alarm_.until(TimePoint::max())); }
  [[nodiscard]] bool told_to_stop() const noexcept { return exchange_.cancellation().requested(); }
  static void stop(void* self) noexcept { static_cast<MockCall*>(self)->alarm_.wake_soon(); }

  MockState& state_;
  runtime::EventLoop& loop_;
  net::Exchange& exchange_;
  FaultyStream& stream_;
  MockPath path_;
  std::shared_ptr<const MockState::Set> set_;
  const Fault& fault_;  // within set_, or none at all
  runtime::Alarm alarm_;
  runtime::CancellationHook hook_;
  std::uint64_t tokens_sent_ = 0;
  bool done_ = false;  // the whole reply was sent
};

}  // namespace penstock::lab
