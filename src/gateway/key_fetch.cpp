#include "gateway/key_fetch.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"
#include "identity/key_set.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/http_call.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "wire/head_writer.h"

namespace penstock::gateway {

using net::HttpCall;
using runtime::Task;

namespace {

constexpr int kOk = 200;

// Empty: the connection is there.
std::string not_dialled(const net::Dialled& dialled) {
  switch (dialled.end) {
    case net::DialEnd::kConnected: return "";
    case net::DialEnd::kTimedOut:
    case net::DialEnd::kCancelled: return "no connection in time";
    case net::DialEnd::kLocal: return "no connection: " + dialled.detail;
    case net::DialEnd::kRefused: return "refused: " + dialled.detail;
    case net::DialEnd::kUnresolved: return "unknown name: " + dialled.detail;
    case net::DialEnd::kTls: return "TLS: " + dialled.detail;
  }
  PENSTOCK_ASSERT(false);
}

std::string no_head(net::HeadEnd end, const std::string& detail) {
  switch (end) {
    case net::HeadEnd::kHead: return "";
    case net::HeadEnd::kTimedOut:
    case net::HeadEnd::kStopped: return "no answer in time";
    case net::HeadEnd::kClosed:
    case net::HeadEnd::kCut: return "closed without a reply";
    case net::HeadEnd::kMalformed: return "no HTTP: " + detail;
  }
  PENSTOCK_ASSERT(false);
}

std::string request_of(const KeySource& source) {
  std::string text;
  wire::append_request_line(text, "GET", source.target);
  wire::append_header(text, "host", source.authority);
  wire::append_header(text, "user-agent", "penstock");
  wire::append_header(text, "accept", "application/jwk-set+json, application/json");
  wire::append_header(text, "accept-encoding", "identity");
  wire::append_header(text, "connection", "close");
  text += wire::kHeadEnd;
  return text;
}

// What was wrong with a body, or nothing.
std::string no_body(net::BodyEnd end) {
  switch (end) {
    case net::BodyEnd::kWhole: return "";
    case net::BodyEnd::kCut: return "its reply was cut short";
    case net::BodyEnd::kTooLong: return "its reply is too long";
    case net::BodyEnd::kLate: return "its reply did not end in time";
  }
  PENSTOCK_ASSERT(false);
}

// One request and its reply; what went wrong, or nothing and the body.
Task<std::string> talk(runtime::EventLoop& loop, net::ByteStream& stream, const KeySource& source,
                       runtime::CallContext context, std::string& body) {
  net::Input input(stream);
  std::string why;
  {
    HttpCall call(stream, input, loop, context.cancellation);
    const std::string request = request_of(source);
    const std::array<std::string_view, 1> pieces{request};
    ignore(co_await call.send(pieces, context.deadline), "the head tells");
    why = no_head(co_await call.read_head(context.deadline), call.detail());
    if (why.empty() && call.head().status != kOk)
      why = "status " + std::to_string(call.head().status);
    if (why.empty())
      why = no_body(
          co_await net::read_whole(call, context.deadline, identity::KeySet::kBytesMax, body));
  }
  stream.cancel();
  co_await input.settle();
  co_return why;
}

}  // namespace

Task<FetchedKeys> fetch_keys(runtime::EventLoop& loop, net::Dialer& dialer, const KeySource& source,
                             runtime::CallContext context) {
  FetchedKeys fetched;
  const Duration left = context.deadline - loop.clock().now();
  const net::Dialled dialled = co_await dialer.dial(loop, source.origin, left, context);
  fetched.why = not_dialled(dialled);
  if (!fetched.why.empty()) co_return fetched;
  std::string body;
  fetched.why = co_await talk(loop, *dialled.stream, source, context, body);
  if (!fetched.why.empty()) co_return fetched;
  Result<identity::KeySet> set = identity::KeySet::parse(body);
  if (set)
    fetched.set = std::make_shared<const identity::KeySet>(*std::move(set));
  else
    fetched.why = std::move(set).error().detail;
  co_return fetched;
}

}  // namespace penstock::gateway
