#include "lab/mock.h"

#include <cstdio>
#include <list>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/address.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "dialect/registry.h"
#include "lab/fault.h"
#include "lab/mock_connection.h"
#include "lab/mock_state.h"
#include "lab/on_stop.h"
#include "net/address.h"
#include "net/byte_stream.h"
#include "net/listen_socket.h"
#include "net/tcp_listener.h"
#include "runtime/asio_loop.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/thread.h"

namespace penstock::lab {

using runtime::Task;

// One thread's connections.
class Mock::Worker {
 public:
  Worker(const Clock& clock, MockState& state, net::ListenSocket socket)
      : state_(state),
        loop_(clock),
        listener_(
            loop_, std::move(socket),
            [this](std::unique_ptr<net::ByteStream> stream) {
              connections_.spawn(serve(std::move(stream)));
            },
            net::ListenerOptions{}) {}

  void run() { loop_.run(); }
  // Any thread.
  void stop() {
    loop_.post([this] { leaving_.spawn(leave()); });
  }

 private:
  Task<void> serve(std::unique_ptr<net::ByteStream> stream) {
    MockConnection connection(state_, loop_);
    const auto place = open_.insert(open_.end(), &connection);
    co_await connection.run(std::move(stream));
    open_.erase(place);
  }
  Task<void> leave() {
    listener_.stop();
    for (auto at = open_.begin(); at != open_.end();) (*at++)->abort();
    co_await listener_.join();
    co_await connections_.join();
    loop_.stop();
  }

  MockState& state_;
  runtime::AsioLoop loop_;
  runtime::TaskGroup connections_;
  runtime::TaskGroup leaving_;
  std::list<MockConnection*> open_;
  net::TcpListener listener_;
};

struct Mock::Shared {
  Shared(std::string key, std::string name) : state(std::move(key), std::move(name)) {}
  MockState state;
  std::list<Worker> workers;
  std::vector<runtime::Thread> threads;
};

namespace {

Result<net::Address> read_address(const std::string& text) {
  const std::optional<ListenAddress> listen = parse_listen_address(text);
  if (!listen)
    return fail(ErrorCode::kInvalidRequest, "\"" + text + "\" is no HOST:PORT to listen at.");
  const std::string host = listen->host == "localhost" ? "127.0.0.1" : listen->host;
  const std::optional<net::Address> address = net::parse_ip(host, listen->port);
  if (!address) return fail(ErrorCode::kInvalidRequest, "\"" + host + "\" is no IP address.");
  return *address;
}

Result<MockState::Set> read_fault(const std::string& json) {
  MockState::Set set;
  if (json.empty()) return set;
  PENSTOCK_TRY(set.fault, parse_fault(json));
  set.json = json;
  return set;
}

std::string sentence(const Error& error) {
  std::string text(error.message.empty() ? info(error.code).message : error.message);
  if (!error.hint.empty()) text.append(" ").append(error.hint);
  return text;
}

}  // namespace

Mock::Mock(std::unique_ptr<Shared> shared, net::Address address)
    : shared_(std::move(shared)), address_(address) {}

Result<std::unique_ptr<Mock>> Mock::start(const Clock& clock, const MockOptions& options) {
  if (dialect::find_dialect(options.dialect) == nullptr)
    return fail(ErrorCode::kInvalidRequest,
                "The mock does not speak \"" + options.dialect + "\" in this version.");
  if (options.workers < 1 || options.workers > 256)
    return fail(ErrorCode::kInvalidRequest, "The mock takes 1 to 256 workers.");
  PENSTOCK_TRY(const net::Address address, read_address(options.listen));
  PENSTOCK_TRY(MockState::Set faults, read_fault(options.fault));
  PENSTOCK_TRY(net::ListenSet listening, net::listen_on(address, options.workers));
  auto shared = std::make_unique<Shared>(options.key, options.name);
  shared->state.set_fault(std::move(faults));
  for (net::ListenSocket& socket : listening.sockets)
    shared->workers.emplace_back(clock, shared->state, std::move(socket));
  for (Worker& worker : shared->workers)
    shared->threads.emplace_back("mock", [&worker] { worker.run(); });
  return std::unique_ptr<Mock>(new Mock(std::move(shared), listening.bound));
}

Mock::~Mock() {
  for (Worker& worker : shared_->workers) worker.stop();
  for (runtime::Thread& thread : shared_->threads) thread.join();
}

int run_mock(const Clock& clock, const MockOptions& options, const OnStop& on_stop) {
  const auto stop = std::make_shared<std::binary_semaphore>(0);  // a stop may come late
  on_stop([stop] { stop->release(); });
  runtime::raise_descriptor_limit();
  const Result<std::unique_ptr<Mock>> mock = Mock::start(clock, options);
  if (!mock) {
    fmt::print(stderr, "penstock mock: {}\n", sentence(mock.error()));
    return 1;
  }
  fmt::print(stderr, "{{\"msg\":\"listening\",\"mock\":\"{}\"}}\n", to_text((*mock)->address()));
  std::fflush(stderr);
  stop->acquire();
  return 0;
}

}  // namespace penstock::lab
