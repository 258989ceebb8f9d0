#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_budget.h"
#include "base/error.h"
#include "base/label.h"
#include "base/outcome.h"
#include "base/principal.h"
#include "base/units.h"
#include "control/call_kind.h"
#include "control/ceilings.h"
#include "control/outcome.h"
#include "control/priority.h"
#include "dialect/openai/request.h"
#include "dialect/surface.h"
#include "fleet/provider.h"
#include "fleet/selection.h"
#include "fleet/target.h"
#include "gateway/caller_limits.h"
#include "gateway/delivery.h"
#include "gateway/provider_reply.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"
#include "gateway/waiting_room.h"
#include "gateway/worker.h"
#include "llm/usage.h"
#include "net/exchange.h"
#include "telemetry/labels.h"

namespace penstock::gateway {

class AttemptWatch;

// Whether a client's request id is kept: 1 to 128 of A-Za-z0-9._- (docs/reference/endpoints.md).
[[nodiscard]] bool is_request_id(std::string_view id) noexcept;

// Who calls, as the snapshot has it; null where the config does not know them.
struct Caller {
  const Tenant* tenant = nullptr;
  const Workload* workload = nullptr;
  const CallerLimits* key = nullptr;  // null: the key has no limits of its own
};

// What a request has of its caller's tokens; none where nothing limits them.
struct HeldTokens {
  enum class From : std::uint8_t { kProcess, kShared, kEmergency };
  std::uint64_t held = 0;
  std::uint64_t used = 0;  // by the attempts so far
  From from = From::kProcess;
  std::uint64_t epoch = 0;  // kShared: of the store's data
};

// One request from its head to its settlement. Owns the leases, the ids and what will be told of
// it; its destructor settles, on every path out.
class RequestScope {
 public:
  RequestScope(Worker& worker, net::Exchange& exchange);
  RequestScope(const RequestScope&) = delete;
  RequestScope& operator=(const RequestScope&) = delete;
  ~RequestScope();

  Worker& worker;
  net::Exchange& exchange;
  const std::shared_ptr<const Snapshot> snapshot;
  std::string call_id;     // 128 bits, minted here
  std::string request_id;  // the client's if sane, else the call id

  // Facts that the stages establish, in their order.
  dialect::Surface surface = dialect::Surface::kNone;
  std::string_view surface_argument;  // the model's id in /v1/models/{id}
  Principal principal;
  Caller caller;
  control::Priority priority = control::Priority::kStandard;
  Delivery delivery = Delivery::kStream;
  Label tenant;
  Label workload;
  std::string_view body;
  std::string masked_body;  // where redaction changed it: `body` views this one
  ByteLease masked_memory;  // of the bound that bodies share
  dialect::openai::RequestView request;
  std::optional<std::string> told_model;  // see told_model.h; nullopt: as the request names it
  Route route;
  dialect::openai::Imposed imposed;  // by the caller's rules, on every attempt
  // Tokens that all choices together may have, as the request goes out; nullopt: no ceiling.
  std::optional<std::uint64_t> output_held;
  std::string_view clamped;               // what x-penstock-clamped says; empty: nothing was
  TimePoint deadline = TimePoint::max();  // everything that waits spends from it
  // Of a stream: until when an SDK's own patience lets it wait for the first content.
  TimePoint first_content_deadline = TimePoint::max();
  TimePoint heartbeat_due = TimePoint::max();  // of a stream that has begun, or is being relayed
  control::Slots caller_slots;                 // under the ceilings of workload and tenant
  ProcessSlot slot;
  HeldTokens tokens;  // settled with the scope, if not before

  bool quota_degraded = false;  // something was decided without the store that shares the limits

  // The attempt that runs or ran last.
  std::uint32_t attempts = 0;
  const fleet::Provider* provider = nullptr;
  const fleet::Replica* replica = nullptr;
  const fleet::Target* target = nullptr;
  ProviderReply said;                // what its provider answered
  AttemptWatch* watch = nullptr;     // while it runs
  bool connection_reusable = false;  // the reply is complete and its connection may serve another
  std::uint64_t relayed_tokens = 0;  // of its output, as far as it came; estimated
  bool content_sent = false;         // content, or a unary body, is on its way to the client

  // What is told at the end.
  std::uint16_t status = 0;  // as sent to the client
  std::optional<ErrorCode> code;
  std::optional<telemetry::StreamEnd> stream_end;
  std::optional<telemetry::InterruptCause> interrupted;
  std::optional<telemetry::RejectionStage> rejected_at;
  std::string_view refused_by;  // the rule that refused, for the audit log; empty: none did
  std::string_view stop = "refused";
  llm::Usage usage;
  std::optional<TimePoint> first_content;
  Duration waited{};  // for the client, for a connection, and for the provider
  Duration queued{};  // of that, for a slot and for a connection

  [[nodiscard]] control::CallKind kind() const noexcept {
    return request.streamed() ? control::CallKind::kStream : control::CallKind::kUnary;
  }
  // The next attempt begins: what the last one left behind is forgotten.
  void begin_attempt(const fleet::Placement& placement);

  [[nodiscard]] TimePoint started() const noexcept { return exchange.started(); }
  // Until when an attempt may wait for content, or for more of it.
  [[nodiscard]] TimePoint patience_end() const noexcept {
    return content_sent ? deadline : std::min(deadline, first_content_deadline);
  }
  [[nodiscard]] TimePoint now() const noexcept { return worker.loop.clock().now(); }
  [[nodiscard]] Label provider_label() const noexcept {
    return provider != nullptr ? provider->label : kNoLabel;
  }
  [[nodiscard]] Label model_label() const noexcept;
  // The model's name for logs.
  [[nodiscard]] std::string_view model_name() const noexcept {
    return told_model ? std::string_view(*told_model) : std::string_view(request.model);
  }
  // What is known of how the attempt, or the request, ends. failed: nullopt when it did not, or
  // when the provider's own error reply is what the client gets.
  [[nodiscard]] control::Facts facts(std::optional<ErrorCode> failed) const noexcept;

 private:
  void count(Outcome outcome, Duration took, Duration own) noexcept;
  void log(Outcome outcome, Duration took, Duration own) noexcept;
};

}  // namespace penstock::gateway
