#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/outcome.h"
#include "base/units.h"
#include "control/breaker.h"
#include "control/call_kind.h"
#include "control/call_samples.h"
#include "control/peak_ewma.h"
#include "fleet/provider.h"
#include "fleet/selection.h"
#include "gateway/worker.h"
#include "llm/usage.h"
#include "runtime/timer.h"

namespace penstock::gateway {

// Watches one attempt on behalf of its replica: what it does becomes samples of the breaker and
// costs of the balancer, at the instant at which it is known; operators are told when a breaker
// opens or closes. Lives as long as the attempt; on its thread.
class AttemptWatch {
 public:
  AttemptWatch(Worker& worker, const fleet::Provider& provider, const fleet::Placement& placement,
               control::CallKind kind, Bytes request);
  AttemptWatch(const AttemptWatch&) = delete;
  AttemptWatch& operator=(const AttemptWatch&) = delete;

  // A connection stands: from now on it is the replica that is waited for.
  void connected();
  // A reply's head came.
  void answered() noexcept { replica_.breaker.answered(generation_); }
  // Content of a stream came.
  void content();
  // The attempt is over. usage: of a unary reply.
  void end(Outcome outcome, control::Reach reach, const llm::Usage& usage);

 private:
  [[nodiscard]] bool streamed() const noexcept { return kind_ == control::CallKind::kStream; }
  [[nodiscard]] TimePoint now() const { return worker_.loop.clock().now(); }
  [[nodiscard]] fleet::CallTimes& times() const noexcept { return replica_.times(kind_); }
  // A good answer came, or its first content.
  void learn_times(TimePoint at);
  [[nodiscard]] std::optional<control::Sample> unary_sample(Outcome outcome, control::Reach reach,
                                                            const llm::Usage& usage,
                                                            TimePoint at) const;
  void take(std::optional<control::Sample> sample, TimePoint at);
  void tell(control::BreakerState state);
  void arm();
  static void on_timer(void* self) noexcept;

  Worker& worker_;
  const fleet::Provider& provider_;
  std::size_t index_;
  fleet::ReplicaState& replica_;
  std::uint32_t generation_;
  control::CallKind kind_;
  Bytes request_;
  TimePoint began_;
  std::optional<control::StreamSamples> samples_;
  std::optional<control::AgeFeed> age_;  // until content, where costs choose the replica
  bool content_seen_ = false;
  runtime::Timer timer_;
};

}  // namespace penstock::gateway
