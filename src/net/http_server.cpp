#include "net/http_server.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/timer.h"
#include "wire/request_head.h"

namespace penstock::net {

using runtime::StopReason;
using runtime::Task;

// One client's connection: request after request, until either side ends it.
class Connection {
 public:
  Connection(HttpServer& server, ByteStream& stream)
      : server_(server),
        stream_(stream),
        input_(stream),
        parser_(server.options_.head),
        timer_(server.loop_.timers(), &Connection::on_timer, this),
        next_(server.first_) {
    if (next_ != nullptr) next_->previous_ = this;
    server.first_ = this;
  }
  ~Connection() {
    (previous_ != nullptr ? previous_->next_ : server_.first_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Task<void> run() {
    while (co_await serve_one()) {
    }
    stream_.cancel();
    co_await input_.settle();
  }

  void shut_down() noexcept {
    if (exchange_ == nullptr) return stream_.cancel();
    exchange_->close_after();
    exchange_->cancellation().request(StopReason::kShutdown);
  }
  void abort() noexcept {
    stream_.reset_on_close();
    stream_.cancel();
    if (exchange_ != nullptr) exchange_->client_gone();
  }
  [[nodiscard]] Connection* next() const noexcept { return next_; }

 private:
  static void on_timer(void* self) noexcept { static_cast<Connection*>(self)->stream_.cancel(); }

  // False when the connection is to be closed.
  Task<bool> serve_one() {
    Exchange exchange(stream_, input_, server_.loop_, server_.options_.write_stall);
    const Result<bool> head = co_await read_head(exchange);
    timer_.disarm();
    if (head && !*head) co_return false;
    exchange.started_ = server_.loop_.clock().now();
    exchange_ = &exchange;
    if (!head) {
      exchange.keep_alive_ = false;
      co_await server_.handler_.refuse(exchange, head.error());
    } else {
      exchange.keep_alive_ = exchange.head_.keep_alive && !server_.leaving_;
      exchange.bodiless_ = exchange.head_.method == "HEAD";
      exchange.body_read_ = exchange.head_.framing == wire::Framing{};
      co_await server_.handler_.serve(exchange);
    }
    exchange_ = nullptr;
    co_return co_await end_of(exchange);
  }

  // True: a head was read. False: the connection ended or waited long enough.
  Task<Result<bool>> read_head(Exchange& exchange) {
    const Duration idle = first_request_ ? server_.options_.head_wait : server_.options_.keep_alive;
    first_request_ = false;
    bool begun = false;
    while (true) {
      if (!input_.bytes().empty()) {
        Result<std::optional<std::size_t>> length = parser_.parse(input_.bytes(), exchange.head_);
        if (!length) co_return fail(std::move(length).error());
        if (*length) {
          input_.pin();
          input_.consume(**length);
          co_return true;
        }
      }
      if (const bool some = !input_.bytes().empty(); !begun) {
        begun = some;
        timer_.arm(server_.loop_.clock().now() + (some ? server_.options_.head_wait : idle));
      }
      if (!begun && server_.leaving_) co_return false;
      if (co_await input_.fill() != IoEnd::kOk) co_return false;
    }
  }

  Task<bool> end_of(Exchange& exchange) {
    if (exchange.broken_ || !exchange.finished_) {
      stream_.reset_on_close();
      co_return false;
    }
    if (input_.peer_gone() || exchange.client_left_) co_return false;
    input_.unwatch();
    if (!exchange.keep_alive_) {
      if (!exchange.body_read_) {  // a close with unread bytes would reset what we just said
        stream_.shut_down_writing();
        co_await exchange.drain_body(server_.options_.linger, server_.options_.linger_bytes);
      }
      co_return false;
    }
    if (!exchange.body_read_)
      co_await exchange.drain_body(server_.options_.linger,
                                   static_cast<std::size_t>(exchange.head_.framing.length));
    input_.release();
    input_.shrink();
    co_return !server_.leaving_ && !exchange.timed_out_;
  }

  HttpServer& server_;
  ByteStream& stream_;
  Input input_;
  wire::RequestHeadParser parser_;
  runtime::Timer timer_;
  Exchange* exchange_ = nullptr;
  Connection* next_;
  Connection* previous_ = nullptr;
  bool first_request_ = true;
};

HttpServer::HttpServer(runtime::EventLoop& loop, Handler& handler, ServerOptions options)
    : loop_(loop), handler_(handler), options_(options) {}

HttpServer::~HttpServer() { PENSTOCK_ASSERT(first_ == nullptr); }

void HttpServer::accept(std::unique_ptr<ByteStream> stream) {
  if (leaving_) return;
  connections_.spawn(serve(std::move(stream)));
}

Task<void> HttpServer::serve(std::unique_ptr<ByteStream> stream) {
  Connection connection(*this, *stream);
  co_await connection.run();
}

void HttpServer::shut_down() noexcept {
  leaving_ = true;
  for (Connection* connection = first_; connection != nullptr;) {
    Connection* const next = connection->next();
    connection->shut_down();
    connection = next;
  }
}

void HttpServer::abort() noexcept {
  leaving_ = true;
  for (Connection* connection = first_; connection != nullptr;) {
    Connection* const next = connection->next();
    connection->abort();
    connection = next;
  }
}

}  // namespace penstock::net
