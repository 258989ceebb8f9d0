#include "tests/socket/http_caller.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "net/arrival.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/http_call.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "wire/header_list.h"

namespace penstock::test {

using runtime::Task;

namespace {

constexpr Duration kDialWait = 20s;
constexpr Duration kReplyWait = 60s;

}  // namespace

Task<std::optional<HttpCaller::Answer>> HttpCaller::ask(std::span<const std::string_view> request,
                                                        runtime::Cancellation& cancellation) {
  if (stream_ == nullptr && !co_await connect(cancellation)) co_return std::nullopt;
  Answer answer;
  const bool reusable = co_await gather(request, cancellation, answer);
  if (!reusable) co_await close();
  co_return answer;
}

Task<bool> HttpCaller::connect(runtime::Cancellation& cancellation) {
  const runtime::CallContext context{cancellation};
  const net::Origin origin{.host = "127.0.0.1", .port = port_};
  net::Dialled dialled = co_await dialer_.dial(loop_, origin, kDialWait, context);
  if (dialled.end != net::DialEnd::kConnected) co_return false;
  stream_ = std::move(dialled.stream);
  input_.emplace(*stream_);
  co_return true;
}

// Whether the connection may serve again.
Task<bool> HttpCaller::gather(std::span<const std::string_view> request,
                              runtime::Cancellation& cancellation, Answer& answer) {
  const TimePoint due = loop_.clock().now() + kReplyWait;
  net::HttpCall call(*stream_, *input_, loop_, cancellation);
  if (co_await call.send(request, due) != net::IoEnd::kOk) co_return false;
  if (co_await call.read_head(due) != net::HeadEnd::kHead) co_return false;
  answer.status = call.head().status;
  for (const wire::Header& field : call.head().headers)
    answer.head.append(field.name).append(": ").append(field.value).append("\n");
  call.release_head();
  while (true) {
    const net::HttpCall::Piece piece = call.next();
    if (piece.step == net::HttpCall::Step::kEnd) break;
    if (piece.step == net::HttpCall::Step::kData)
      answer.body += piece.data;
    else if (piece.step != net::HttpCall::Step::kMore)
      co_return false;
    else if (co_await call.arrival().until(due) != net::Wake::kInput)
      co_return false;
  }
  answer.whole = true;
  co_return call.reusable();
}

Task<void> HttpCaller::close() {
  if (stream_ == nullptr) co_return;
  stream_->cancel();
  co_await input_->settle();
  input_.reset();
  stream_.reset();
}

}  // namespace penstock::test
