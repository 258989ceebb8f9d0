#include "gateway/admission.h"

#include <optional>
#include <utility>

namespace penstock::gateway {

Duration overload_wait(Rng& rng) {
  constexpr std::uint64_t kSpreadMs = 1000;
  return 1s + std::chrono::milliseconds(rng.below(kSpreadMs));
}

Result<control::Slot> enter(RequestScope& scope) {
  Process& process = scope.worker.process;
  if (process.draining.load(std::memory_order_relaxed)) return fail(ErrorCode::kDraining);
  std::optional<control::Slot> slot = process.in_flight.enter();
  if (!slot) return fail(ErrorCode::kOverloaded, "The gateway serves as many requests as it may.");
  return *std::move(slot);
}

}  // namespace penstock::gateway
