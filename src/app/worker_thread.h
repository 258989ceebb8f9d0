#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "gateway/drain.h"
#include "gateway/pipeline.h"
#include "gateway/worker.h"
#include "net/dialer.h"
#include "net/http_server.h"
#include "net/listen_socket.h"
#include "net/tcp_listener.h"
#include "runtime/asio_loop.h"
#include "runtime/task_group.h"
#include "runtime/thread.h"
#include "store/redis_quotas.h"

namespace penstock::app {

// What a worker is made of besides its config snapshot.
struct WorkerParts {
  gateway::Process& process;
  const Clock& clock;
  net::Dialer& dialer;
  std::unique_ptr<Rng> rng;
  gateway::Logs logs;
  std::shared_ptr<const gateway::Snapshot> snapshot;
  net::ServerOptions server;
  net::ListenerOptions listener;
};

// One worker: its loop, its listener, its pipeline, on a thread of its own.
class WorkerThread {
 public:
  explicit WorkerThread(WorkerParts parts);
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;
  ~WorkerThread();

  // Serves what `socket` accepts, from now on.
  void start(net::ListenSocket socket, unsigned number);
  // Drains in the steps of `times` and ends the thread as soon as nothing runs after `closed`.
  // `ended` is called on the worker's thread.
  void leave(gateway::DrainTimes times, std::function<void()> ended);

  // Serves what begins from now on by this snapshot; calls `adopted` on the worker's thread once it
  // does. Not called by a worker that has ended.
  void adopt(std::shared_ptr<const gateway::Snapshot> snapshot, std::function<void()> adopted);

  [[nodiscard]] const telemetry::GatewayMetrics& metrics() const noexcept {
    return worker_.metrics;
  }

 private:
  [[nodiscard]] runtime::Task<void> end(gateway::DrainTimes times, std::function<void()> ended);
  [[nodiscard]] runtime::Task<void> settle(gateway::DrainTimes times);

  runtime::AsioLoop loop_;
  gateway::Worker worker_;
  std::unique_ptr<store::RedisQuotas> quotas_;  // null: see WorkerParts
  gateway::Pipeline pipeline_;
  net::HttpServer server_;
  net::ListenerOptions listener_options_;
  std::unique_ptr<net::TcpListener> listener_;
  runtime::TaskGroup leaving_;
  runtime::Thread thread_;
};

}  // namespace penstock::app
