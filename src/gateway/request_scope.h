#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/label.h"
#include "base/outcome.h"
#include "base/principal.h"
#include "base/units.h"
#include "control/in_flight_limit.h"
#include "control/outcome.h"
#include "dialect/openai/request.h"
#include "dialect/surface.h"
#include "fleet/provider.h"
#include "fleet/route.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "llm/usage.h"
#include "net/exchange.h"
#include "telemetry/labels.h"

namespace penstock::gateway {

// Where a request goes: a model of the config, or a provider that the client named itself.
struct Route {
  const Model* model = nullptr;  // nullptr: `provider/model`, asked for explicitly
  std::vector<fleet::Target> explicit_target;
  std::string only_provider;  // from x-penstock-provider
  [[nodiscard]] const std::vector<fleet::Target>& targets() const noexcept {
    return model != nullptr ? model->targets : explicit_target;
  }
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
  Label tenant;
  Label workload;
  std::string_view body;
  dialect::openai::RequestView request;
  Route route;
  control::Slot slot;

  // The attempt that runs or ran last.
  std::uint32_t attempts = 0;
  const fleet::Provider* provider = nullptr;
  const fleet::Replica* replica = nullptr;
  const fleet::Target* target = nullptr;
  bool connection_reusable = false;  // the reply is complete and its connection may serve another

  // What is told at the end.
  std::uint16_t status = 0;  // as sent to the client
  control::Facts::RetryAfter retry_after = control::Facts::RetryAfter::kAbsent;  // the provider's
  std::optional<ErrorCode> code;
  std::optional<telemetry::StreamEnd> stream_end;
  std::optional<telemetry::InterruptCause> interrupted;
  std::optional<telemetry::RejectionStage> rejected_at;
  std::string_view stop = "refused";
  llm::Usage usage;
  std::optional<TimePoint> first_content;
  Duration waited{};  // for the client, for a connection, and for the provider
  Duration queued{};  // of that, for a connection

  [[nodiscard]] TimePoint started() const noexcept { return exchange.started(); }
  [[nodiscard]] TimePoint now() const noexcept { return worker.loop.clock().now(); }
  [[nodiscard]] Label provider_label() const noexcept {
    return provider != nullptr ? provider->label : kNoLabel;
  }
  [[nodiscard]] Label model_label() const noexcept;

 private:
  void count(Outcome outcome, Duration took, Duration own) noexcept;
  void log(Outcome outcome, Duration took, Duration own) noexcept;
};

}  // namespace penstock::gateway
