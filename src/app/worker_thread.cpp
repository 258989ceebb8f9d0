#include "app/worker_thread.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/units.h"
#include "gateway/drain.h"
#include "gateway/snapshot.h"
#include "net/byte_stream.h"
#include "net/listen_socket.h"
#include "net/tcp_listener.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/timer.h"
#include "store/redis_quotas.h"

namespace penstock::app {
namespace {

// A client that was let in last and does not finish its TLS handshake holds up nobody for longer.
constexpr Duration kHandshakesLast = 1s;

}  // namespace

WorkerThread::WorkerThread(WorkerParts parts)
    : loop_(parts.clock),
      worker_(parts.process, loop_, parts.dialer, std::move(parts.rng), parts.logs,
              std::move(parts.snapshot)),
      pipeline_(worker_),
      server_(loop_, pipeline_, parts.server),
      listener_options_(parts.listener) {
  if (parts.process.shared_quotas == nullptr) return;  // limits are the process's own
  quotas_ = std::make_unique<store::RedisQuotas>(loop_, parts.dialer, worker_.rng->fork("quotas"),
                                                 *parts.process.shared_quotas);
  worker_.quotas = quotas_.get();
  loop_.post([this] { quotas_->start(); });
}

WorkerThread::~WorkerThread() {
  if (!thread_.joinable()) return;
  thread_.join();
}

void WorkerThread::start(net::ListenSocket socket, unsigned number) {
  listener_ = std::make_unique<net::TcpListener>(
      loop_, std::move(socket),
      [this](std::unique_ptr<net::ByteStream> stream) { server_.accept(std::move(stream)); },
      listener_options_);
  thread_ = runtime::Thread("worker-" + std::to_string(number), [this] { loop_.run(); });
}

void WorkerThread::leave(gateway::DrainTimes times, std::function<void()> ended) {
  loop_.post([this, times, ended = std::move(ended)]() mutable {
    leaving_.spawn(end(times, std::move(ended)));
  });
}

void WorkerThread::adopt(std::shared_ptr<const gateway::Snapshot> snapshot,
                         std::function<void()> adopted) {
  loop_.post([this, snapshot = std::move(snapshot), adopted = std::move(adopted)]() mutable {
    worker_.adopt(std::move(snapshot));
    adopted();
  });
}

// Everybody is served, but sent elsewhere for the next request. At the end of it nobody who has
// got through to the kernel is lost, and nobody else gets through.
runtime::Task<void> WorkerThread::settle(gateway::DrainTimes times) {
  server_.close_after_replies();
  runtime::Alarm alarm(loop_);
  ignore(co_await alarm.until(times.settled), "nobody wakes it");
  listener_->let_nobody_in();
  ignore(co_await alarm.until(times.closed), "nobody wakes it");
  listener_->take_waiting();
  listener_->close();
  server_.close_idle();
}

runtime::Task<void> WorkerThread::end(gateway::DrainTimes times, std::function<void()> ended) {
  co_await settle(times);
  runtime::Timer give_up(
      loop_.timers(),
      [](void* self) {
        static_cast<WorkerThread*>(self)->listener_->stop();
        static_cast<WorkerThread*>(self)->server_.shut_down();
      },
      this);
  runtime::Timer patience(
      loop_.timers(), [](void* server) { static_cast<net::HttpServer*>(server)->abort(); },
      &server_);
  runtime::Timer handshakes(
      loop_.timers(), [](void* listener) { static_cast<net::TcpListener*>(listener)->stop(); },
      listener_.get());
  handshakes.arm(times.closed + kHandshakesLast);
  give_up.arm(times.given_up);
  patience.arm(times.over);
  co_await listener_->join();
  co_await server_.join();
  for (const auto& pool : worker_.pools) co_await pool->close();
  if (quotas_ != nullptr) co_await quotas_->close();
  ended();
  loop_.stop();
}

}  // namespace penstock::app
