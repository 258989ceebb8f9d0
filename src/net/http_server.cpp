#include "net/http_server.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/timer.h"
#include "wire/request_head.h"

namespace penstock::net {

using runtime::StopReason;
using runtime::Task;

namespace {

// At the end of settling nobody new is let in; who was let in last has so long for a first request.
constexpr Duration kFirstRequestLast = 1s;

}  // namespace

// One client's connection: request after request, until either side ends it.
class Connection {
 public:
  Connection(HttpServer& server, ByteStream& stream)
      : server_(server),
        stream_(stream),
        input_(stream, Input::Spent::kWiped),
        parser_(server.options_.head),
        timer_(server.loop_.timers(), &Connection::on_timer, this),
        accepted_(server.loop_.clock().now()),
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

  void close_after_reply() noexcept {
    if (exchange_ != nullptr && !exchange_->begun()) exchange_->close_after();
  }
  void close_idle() noexcept {
    if (where_ != Where::kQuiet) return;
    if (first_request_)
      timer_.arm(accepted_ + first_wait());
    else
      close_if_quiet();
  }
  void shut_down() noexcept {
    if (where_ == Where::kQuiet) return close_if_quiet();
    if (exchange_ == nullptr) return;
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
  using Phase = HttpServer::Phase;
  enum class Where : std::uint8_t {
    kQuiet,  // waits for a request of which nothing has arrived
    kHead,   // reads a request's head
    kBusy,   // serves, or is about to close
  };

  static void on_timer(void* self) noexcept {
    auto& connection = *static_cast<Connection*>(self);
    if (connection.where_ == Where::kQuiet)
      connection.close_if_quiet();
    else
      connection.stream_.cancel();
  }

  // Ends the wait for a request. One that has arrived by then is still answered.
  void close_if_quiet() noexcept {
    closing_quiet_ = true;
    stream_.cancel_read();
  }
  [[nodiscard]] Duration first_wait() const noexcept {
    const Duration usual = server_.options_.head_wait;
    return server_.phase_ < Phase::kNoIdle ? usual : std::min(usual, kFirstRequestLast);
  }

  // False when the connection is to be closed.
  Task<bool> serve_one() {
    Exchange exchange(stream_, input_, server_.loop_, server_.options_.write_stall);
    const Result<bool> head = co_await read_head(exchange);
    timer_.disarm();
    where_ = Where::kBusy;
    if (head && !*head) co_return false;
    exchange.started_ = server_.loop_.clock().now();
    exchange.late_ = is_late();
    first_request_ = false;
    exchange_ = &exchange;
    if (!head) {
      exchange.keep_alive_ = false;
      co_await server_.handler_.refuse(exchange, head.error());
    } else {
      exchange.keep_alive_ = exchange.head_.keep_alive && server_.phase_ == Phase::kOpen;
      exchange.bodiless_ = exchange.head_.method == "HEAD";
      exchange.body_read_ = exchange.head_.framing == wire::Framing{};
      co_await server_.handler_.serve(exchange);
    }
    exchange_ = nullptr;
    co_return co_await end_of(exchange);
  }

  // A connection that was let in is owed one request; a kept one is owed none at the end.
  [[nodiscard]] bool is_late() const noexcept {
    return server_.phase_ == Phase::kLeaving ||
           (server_.phase_ == Phase::kNoIdle && !first_request_);
  }

  // True: a head was read. False: the connection ended or waited long enough.
  Task<Result<bool>> read_head(Exchange& exchange) {
    where_ = Where::kQuiet;
    closing_quiet_ = false;
    if (input_.bytes().empty())
      timer_.arm(first_request_ ? accepted_ + first_wait()
                                : server_.loop_.clock().now() + server_.options_.keep_alive);
    while (true) {
      if (!input_.bytes().empty()) {
        Result<std::optional<std::size_t>> length = parser_.parse(input_.bytes(), exchange.head_);
        if (!length) co_return fail(std::move(length).error());
        if (*length) {
          input_.pin();
          input_.consume(**length);
          co_return true;
        }
        begin_head();
      } else if (where_ == Where::kQuiet && is_late()) {
        if (!stream_.has_unread()) co_return false;
        begin_head();
      }
      if (co_await input_.fill() == IoEnd::kOk) continue;
      const bool told = closing_quiet_ && input_.end() == IoEnd::kCancelled;
      if (!told || !stream_.has_unread()) co_return false;
      input_.reopen();
      begin_head();
    }
  }

  void begin_head() noexcept {
    if (where_ != Where::kQuiet) return;
    where_ = Where::kHead;
    closing_quiet_ = false;
    timer_.arm(server_.loop_.clock().now() + server_.options_.head_wait);
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
    co_return !exchange.timed_out_;
  }

  HttpServer& server_;
  ByteStream& stream_;
  Input input_;
  wire::RequestHeadParser parser_;
  runtime::Timer timer_;
  Exchange* exchange_ = nullptr;
  TimePoint accepted_;
  Connection* next_;
  Connection* previous_ = nullptr;
  Where where_ = Where::kBusy;
  bool first_request_ = true;
  bool closing_quiet_ = false;
};

HttpServer::HttpServer(runtime::EventLoop& loop, Handler& handler, ServerOptions options)
    : loop_(loop), handler_(handler), options_(options) {}

HttpServer::~HttpServer() { PENSTOCK_ASSERT(first_ == nullptr); }

void HttpServer::accept(std::unique_ptr<ByteStream> stream) {
  if (phase_ == Phase::kLeaving) return;
  connections_.spawn(serve(std::move(stream)));
}

Task<void> HttpServer::serve(std::unique_ptr<ByteStream> stream) {
  Connection connection(*this, *stream);
  co_await connection.run();
}

void HttpServer::advance(Phase phase, void (Connection::*tell)() noexcept) noexcept {
  if (phase_ >= phase && phase != Phase::kLeaving) return;
  phase_ = phase;
  for (Connection* connection = first_; connection != nullptr;) {
    Connection* const next = connection->next();
    (connection->*tell)();
    connection = next;
  }
}

void HttpServer::close_after_replies() noexcept {
  advance(Phase::kNoKeeping, &Connection::close_after_reply);
}
void HttpServer::close_idle() noexcept { advance(Phase::kNoIdle, &Connection::close_idle); }
void HttpServer::shut_down() noexcept { advance(Phase::kLeaving, &Connection::shut_down); }
void HttpServer::abort() noexcept { advance(Phase::kLeaving, &Connection::abort); }

}  // namespace penstock::net
