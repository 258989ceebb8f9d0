#include "admin/status_routes.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "admin/plane.h"
#include "admin/routes.h"
#include "base/result.h"
#include "fleet/provider.h"
#include "gateway/snapshot.h"
#include "json/writer.h"
#include "store/redis_quotas.h"
#include "telemetry/exposition.h"

namespace penstock::admin {

using runtime::Task;

Task<Result<Reply>> show_metrics(const Call& call) {
  Reply reply;
  reply.body = telemetry::render_exposition(call.plane.sources);
  reply.type = telemetry::kExpositionContentType;
  co_return reply;
}

Task<Result<Reply>> show_status(const Call& call) {
  const Plane& plane = call.plane;
  const std::shared_ptr<const gateway::Snapshot> snapshot = plane.config.snapshot();
  std::size_t replicas = 0;
  for (const fleet::Provider& provider : snapshot->providers) replicas += provider.replicas.size();
  const auto uptime =
      std::chrono::floor<std::chrono::seconds>(plane.clock.now() - plane.about.started);
  Reply reply;
  json::Writer json(reply.body);
  json.begin_object().key("version").string(plane.about.version);
  json.key("uptime_seconds").integer(uptime.count());
  json.key("ready").boolean(plane.process.ready.load() && !plane.process.draining.load());
  json.key("draining").boolean(plane.process.draining.load());
  json.key("workers").integer(plane.about.workers);
  json.key("config_file").string(plane.about.config_file);
  json.key("in_flight").integer(plane.process.in_flight.in_flight());
  json.key("in_flight_limit").integer(plane.process.in_flight.limit());
  const store::SharedQuotas* shared = plane.process.shared_quotas;
  json.key("stores").begin_object().key("quota").begin_object();
  json.key("kind").string(shared != nullptr ? "redis" : "memory");
  json.key("degraded").boolean(shared != nullptr && shared->degraded()).end_object().end_object();
  json.key("tenants").integer(snapshot->tenants.size());
  json.key("models").integer(snapshot->models.size());
  json.key("providers").integer(snapshot->providers.size());
  json.key("replicas").integer(replicas).end_object();
  co_return reply;
}

}  // namespace penstock::admin
