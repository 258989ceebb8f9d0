#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/byte_budget.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "gateway/attempt_error.h"
#include "gateway/redaction.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "policy/json_redactor.h"
#include "policy/redact_config.h"
#include "policy/stream_redactor.h"
#include "runtime/next_turn.h"
#include "runtime/task.h"

namespace penstock::gateway {
namespace {

using policy::DocumentRedactor;
using runtime::Task;

// Of one body: docs/reference/redaction.md. Far beyond what people send, and so that one body
// cannot keep a thread busy for long, however many turns it leaves to others.
constexpr std::uint64_t kHitsMax = 262'144;
constexpr Duration kWorkMax = 5s;
constexpr std::size_t kSliceBytes = std::size_t{16} << 10;
constexpr std::size_t kChargeStep = std::size_t{16} << 10;

policy::Document document_of(policy::Direction direction) noexcept {
  return direction == policy::Direction::kRequest ? policy::Document::kRequest
                                                  : policy::Document::kReply;
}

std::uint64_t hits(const policy::Tally& tally) noexcept {
  return std::accumulate(tally.begin(), tally.end(), std::uint64_t{0});
}

// Counts what was found, however it ends.
class Count {
 public:
  Count(RequestScope& scope, const WorkloadRedaction& redaction,
        policy::Direction direction) noexcept
      : scope_(scope), redaction_(redaction), direction_(direction) {}
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;
  ~Count() { count_redactions(scope_, redaction_, direction_, tally); }

  policy::Tally tally{};

 private:
  RequestScope& scope_;
  const WorkloadRedaction& redaction_;
  policy::Direction direction_;
};

}  // namespace

Result<RedactedBody> redact_body(RequestScope& scope, const WorkloadRedaction& redaction,
                                 policy::Direction direction, std::string_view body) {
  ByteBudget& budget = scope.worker.process.body_memory;
  std::optional<ByteLease> memory = budget.take(Bytes{body.size()});
  if (!memory) return fail(memory_full());
  Count count(scope, redaction, direction);
  RedactedBody out{redact_document(redaction.redactor, document_of(direction), body, count.tally),
                   *std::move(memory)};
  const std::size_t size = out.document.masked ? out.document.masked->size() : 0;
  if (!budget.raise(out.memory, Bytes{size}, Bytes{kChargeStep})) return fail(memory_full());
  return out;
}

Task<Result<RedactedBody>> redact_long_body(RequestScope& scope, const WorkloadRedaction& redaction,
                                            policy::Direction direction, std::string_view body) {
  ByteBudget& budget = scope.worker.process.body_memory;
  std::optional<ByteLease> memory = budget.take(Bytes{body.size()});
  const std::optional<ByteLease> working = budget.take(Bytes{DocumentRedactor::kWorkingBytes});
  if (!memory || !working) co_return fail(memory_full());
  Count count(scope, redaction, direction);
  DocumentRedactor walk(redaction.redactor, document_of(direction), body, count.tally);
  Duration worked{};
  while (true) {
    const TimePoint before = scope.now();
    const bool done = walk.step(kSliceBytes);
    const TimePoint after = scope.now();
    worked += after - before;
    if (!budget.raise(*memory, Bytes{walk.copied()}, Bytes{kChargeStep}))
      co_return fail(memory_full());
    if (hits(count.tally) > kHitsMax)
      co_return fail(not_redacted(scope, direction, "There are too many identifiers in it."));
    if (worked > kWorkMax)
      co_return fail(not_redacted(scope, direction, "It takes too long to be looked through."));
    if (done) break;
    co_await runtime::NextTurn(scope.worker.loop);
    scope.waited += scope.now() - after;
    if (scope.exchange.cancellation().requested()) co_return fail(stopped());
    if (scope.now() >= scope.deadline) co_return fail(ErrorCode::kDeadlineExceeded);
  }
  RedactedBody out{walk.take(), *std::move(memory)};
  co_return out;
}

}  // namespace penstock::gateway
