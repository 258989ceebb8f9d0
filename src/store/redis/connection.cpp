#include "store/redis/connection.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/secret.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/timer.h"
#include "store/redis/command_text.h"
#include "store/redis/endpoint.h"
#include "store/redis/error_reply.h"
#include "store/redis/outage.h"
#include "store/redis/reply_parser.h"
#include "store/redis/value.h"

namespace penstock::store::redis {
namespace {

using runtime::Task;

constexpr std::string_view kProbe = "#!lua\nreturn {ARGV[1]}";
constexpr std::string_view kProbeId = "penstock";

OutageReason reason_of(net::DialEnd end) noexcept {
  switch (end) {
    case net::DialEnd::kTls: return OutageReason::kRefused;
    case net::DialEnd::kTimedOut: return OutageReason::kTimedOut;
    case net::DialEnd::kCancelled: return OutageReason::kClosing;
    case net::DialEnd::kConnected:
    case net::DialEnd::kRefused:
    case net::DialEnd::kUnresolved:
    case net::DialEnd::kLocal: break;
  }
  return OutageReason::kAway;
}

// Breaks a stream off when its time is up or we are leaving.
class Limit {
 public:
  Limit(net::ByteStream& stream, runtime::EventLoop& loop, TimePoint until,
        runtime::Cancellation& cancellation)
      : stream_(stream),
        timer_(loop.timers(), &Limit::on_time, this),
        hook_(cancellation, &Limit::on_stop, this) {
    if (cancellation.requested()) until = TimePoint::min();
    timer_.arm(until);
  }
  [[nodiscard]] bool timed_out() const noexcept { return timed_out_; }

 private:
  static void on_time(void* self) noexcept {
    auto& limit = *static_cast<Limit*>(self);
    limit.timed_out_ = true;
    limit.stream_.cancel();
  }
  static void on_stop(void* self) noexcept { static_cast<Limit*>(self)->stream_.cancel(); }

  net::ByteStream& stream_;
  bool timed_out_ = false;
  runtime::Timer timer_;
  runtime::CancellationHook hook_;
};

struct Greeting {
  Secret text;
  std::size_t replies = 0;
};

Greeting greeting_for(const Endpoint& endpoint, const std::string& key) {
  constexpr std::size_t kOthers = 512;  // all words but these; no copy must be left behind
  std::string text;
  text.reserve(kOthers + endpoint.user.size() + endpoint.password.reveal().size() + key.size());
  Greeting greeting;
  if (endpoint.password.empty()) {
    append_command(text, {"HELLO", "3", "SETNAME", "penstock"});
  } else {
    const std::string_view named = endpoint.user;
    const std::string_view user = named.empty() ? "default" : named;
    append_command(text,
                   {"HELLO", "3", "AUTH", user, endpoint.password.reveal(), "SETNAME", "penstock"});
  }
  ++greeting.replies;
  if (endpoint.database != 0) {
    append_command(text, {"SELECT", std::to_string(endpoint.database)});
    ++greeting.replies;
  }
  if (key.empty())
    append_command(text, {"EVAL", kProbe, "0", kProbeId});
  else
    append_command(text, {"EVAL", kProbe, "1", key, kProbeId});
  ++greeting.replies;
  greeting.text = Secret(std::move(text));
  return greeting;
}

// What a reply to the greeting speaks against, with its first word for operators.
struct Objection {
  OutageReason reason;
  std::string word;
};

enum class Asked : std::uint8_t { kGreeting, kProbe };

std::optional<Objection> objection_to(const Value& reply, Asked asked) {
  const bool is_probe = asked == Asked::kProbe;
  if (reply.kind != ValueKind::kError) {
    const bool fine = !is_probe || (reply.kind == ValueKind::kList && reply.list.size() == 1 &&
                                    reply.list.front().text == kProbeId);
    if (fine) return std::nullopt;
    return Objection{OutageReason::kMismatched, {}};
  }
  const ErrorReply error = judge_error(reply.text);
  // A key that lives elsewhere, or is on its way, says that the node is well.
  const bool well = error.kind != ErrorKind::kOutage || error.reason == OutageReason::kClusterDown;
  if (is_probe && well && error.blame == Blame::kCall) return std::nullopt;
  const OutageReason reason =
      error.kind == ErrorKind::kOutage && error.reason != OutageReason::kScript
          ? error.reason
          : OutageReason::kRefused;  // an error that no command of ours should meet
  return Objection{reason, reply.text.substr(0, reply.text.find(' '))};
}

// Reads so many replies; the last is the probe's.
Task<std::optional<Objection>> hear(Connection& connection, std::size_t replies) {
  while (replies != 0) {
    const net::IoEnd end = co_await connection.input.fill();
    if (end != net::IoEnd::kOk) {
      co_return Objection{
          connection.parser.within() ? OutageReason::kMalformed : OutageReason::kAway, {}};
    }
    std::string_view bytes = connection.input.bytes();
    connection.input.consume(bytes.size());
    while (!bytes.empty()) {
      const ReplyParser::Step step = connection.parser.next(bytes);
      if (step == ReplyParser::Step::kMore) break;
      if (step == ReplyParser::Step::kBroken) co_return Objection{OutageReason::kMalformed, {}};
      if (replies == 0) co_return Objection{OutageReason::kMismatched, {}};
      --replies;
      const Asked asked = replies == 0 ? Asked::kProbe : Asked::kGreeting;
      std::optional<Objection> objection = objection_to(connection.parser.take(), asked);
      if (objection) co_return objection;
    }
  }
  co_return std::nullopt;
}

}  // namespace

Task<Opened> open_connection(Approach approach, Place place, std::string key,
                             runtime::CallContext context) {
  const Endpoint& endpoint = approach.endpoint;
  const net::Origin origin{std::move(place.host), place.port, endpoint.tls.get()};
  net::Dialled dialled =
      co_await approach.dialer.dial(approach.loop, origin, approach.connect, context);
  if (dialled.stream == nullptr)
    co_return Opened{nullptr, reason_of(dialled.end), std::move(dialled.detail)};
  auto connection = std::make_unique<Connection>(std::move(dialled.stream));
  const Greeting greeting = greeting_for(endpoint, key);
  std::optional<Objection> objection;
  {
    const TimePoint until = approach.loop.clock().now() + approach.answer;
    const Limit limit(*connection->stream, approach.loop, until, context.cancellation);
    const std::array pieces = {std::string_view(greeting.text.reveal())};
    const net::IoResult written = co_await net::Write(*connection->stream, pieces);
    if (written.end == net::IoEnd::kOk)
      objection = co_await hear(*connection, greeting.replies);
    else
      objection = Objection{OutageReason::kAway, {}};
    if (limit.timed_out()) objection = Objection{OutageReason::kTimedOut, {}};
    if (context.cancellation.requested()) objection = Objection{OutageReason::kClosing, {}};
  }
  if (objection) co_return Opened{nullptr, objection->reason, std::move(objection->word)};
  co_return Opened{std::move(connection), OutageReason::kAway, {}};
}

}  // namespace penstock::store::redis
