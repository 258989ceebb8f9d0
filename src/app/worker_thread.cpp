#include "app/worker_thread.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/units.h"
#include "net/byte_stream.h"
#include "net/listen_socket.h"
#include "net/tcp_listener.h"
#include "runtime/task.h"
#include "runtime/timer.h"

namespace penstock::app {

WorkerThread::WorkerThread(WorkerParts parts)
    : loop_(parts.clock),
      worker_(parts.process, loop_, parts.dialer, std::move(parts.rng), parts.logs,
              std::move(parts.snapshot)),
      pipeline_(worker_),
      server_(loop_, pipeline_, parts.server),
      listener_options_(parts.listener) {}

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

void WorkerThread::leave(Duration at_most, std::function<void()> ended) {
  loop_.post([this, at_most, ended = std::move(ended)]() mutable {
    leaving_.spawn(end(at_most, std::move(ended)));
  });
}

void WorkerThread::adopt(std::shared_ptr<const gateway::Snapshot> snapshot,
                         std::function<void()> adopted) {
  loop_.post([this, snapshot = std::move(snapshot), adopted = std::move(adopted)]() mutable {
    worker_.adopt(std::move(snapshot));
    adopted();
  });
}

runtime::Task<void> WorkerThread::end(Duration at_most, std::function<void()> ended) {
  listener_->stop();
  server_.shut_down();
  runtime::Timer patience(
      loop_.timers(), [](void* server) { static_cast<net::HttpServer*>(server)->abort(); },
      &server_);
  patience.arm(loop_.clock().now() + at_most);
  co_await server_.join();
  co_await listener_->join();
  for (const auto& pool : worker_.pools) co_await pool->close();
  ended();
  loop_.stop();
}

}  // namespace penstock::app
