#include "fleet/probe.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/error_code.h"
#include "base/units.h"
#include "dialect/openai/models.h"
#include "dialect/openai/paths.h"
#include "dialect/surface.h"
#include "fleet/health_config.h"
#include "fleet/provider.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/http_call.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "wire/head_writer.h"

namespace penstock::fleet {

using net::HttpCall;
using runtime::Task;

namespace {

using Fault = std::optional<ProbeFault>;

constexpr std::size_t kListMax = std::size_t{256} << 10;
constexpr int kStatusMin = 200;  // of what passes
constexpr int kStatusEnd = 300;

Fault silent() {
  return ProbeFault{.code = ErrorCode::kUpstreamTimeout, .why = "no answer in time"};
}

Fault not_dialled(const net::Dialled& dialled) {
  switch (dialled.end) {
    case net::DialEnd::kConnected: return std::nullopt;
    case net::DialEnd::kTimedOut:
    case net::DialEnd::kCancelled: return silent();
    case net::DialEnd::kLocal:
      return ProbeFault{.code = ErrorCode::kOverloaded, .why = dialled.detail};
    case net::DialEnd::kRefused: return ProbeFault{.why = "refused: " + dialled.detail};
    case net::DialEnd::kUnresolved: return ProbeFault{.why = "unknown name: " + dialled.detail};
    case net::DialEnd::kTls: return ProbeFault{.why = "TLS: " + dialled.detail};
  }
  PENSTOCK_ASSERT(false);
}

Fault no_head(net::HeadEnd end, const std::string& detail) {
  switch (end) {
    case net::HeadEnd::kHead: return std::nullopt;
    case net::HeadEnd::kTimedOut:
    case net::HeadEnd::kStopped: return silent();
    case net::HeadEnd::kClosed:
    case net::HeadEnd::kCut: return ProbeFault{.why = "closed without a reply"};
    case net::HeadEnd::kMalformed:
      return ProbeFault{.code = ErrorCode::kUpstreamBadResponse, .why = "no HTTP: " + detail};
  }
  PENSTOCK_ASSERT(false);
}

class Probe {
 public:
  Probe(ProbeParts parts, runtime::CallContext context)
      : parts_(parts),
        context_(context),
        config_(*parts.provider.health),
        replica_(parts.provider.replicas[parts.replica]) {}

  Task<Fault> run() {
    Fault fault = co_await ask(head(config_.path) + std::string(wire::kHeadEnd));
    if (fault || config_.model.empty()) co_return fault;
    fault = co_await ask(list_request());
    if (fault || dialect::openai::lists_model(body_, config_.model)) co_return fault;
    co_return ProbeFault{.code = ErrorCode::kUpstreamBadResponse,
                         .status = status_,
                         .why = "its list of models does not name " + config_.model};
  }

 private:
  [[nodiscard]] std::string head(std::string_view target) const {
    std::string text = "GET ";
    text += target;
    text += " HTTP/1.1\r\n";
    wire::append_header(text, "host", replica_.authority);
    wire::append_header(text, "user-agent", "penstock-health");
    wire::append_header(text, "accept-encoding", "identity");
    wire::append_header(text, "connection", "close");
    return text;
  }

  [[nodiscard]] std::string list_request() const {
    using dialect::Surface;
    std::string text =
        head(replica_.base_path + std::string(dialect::openai::upstream_path(Surface::kModels)));
    append_credential(text, parts_.provider);
    text += wire::kHeadEnd;
    return text;
  }

  // Asks on a connection of its own; leaves the reply's body, as far as it is wanted, in `body_`.
  Task<Fault> ask(std::string request) {
    const Duration left = context_.deadline - parts_.loop.clock().now();
    if (left <= Duration::zero()) co_return silent();
    const net::Dialled dialled =
        co_await parts_.dialer.dial(parts_.loop, replica_.origin, left, context_);
    if (Fault fault = not_dialled(dialled)) co_return fault;
    net::Input input(*dialled.stream);
    Fault fault = co_await talk(*dialled.stream, input, request);
    dialled.stream->cancel();
    co_await input.settle();
    co_return fault;
  }

  Task<Fault> talk(net::ByteStream& stream, net::Input& input, std::string_view request) {
    HttpCall call(stream, input, parts_.loop, context_.cancellation);
    const std::array<std::string_view, 1> pieces{request};
    if (co_await call.send(pieces, context_.deadline) == net::IoEnd::kCancelled) co_return silent();
    if (Fault fault = no_head(co_await call.read_head(context_.deadline), call.detail()))
      co_return fault;
    status_ = static_cast<std::uint16_t>(call.head().status);
    if (status_ < kStatusMin || status_ >= kStatusEnd)
      co_return ProbeFault{.code = ErrorCode::kUpstreamError,
                           .status = status_,
                           .why = "status " + std::to_string(status_)};
    if (config_.model.empty()) co_return std::nullopt;
    co_return co_await read_body(call);
  }

  Task<Fault> read_body(HttpCall& call) {
    body_.clear();
    switch (co_await net::read_whole(call, context_.deadline, kListMax, body_)) {
      case net::BodyEnd::kWhole: co_return std::nullopt;
      case net::BodyEnd::kCut: co_return bad_body("its reply was cut short");
      case net::BodyEnd::kTooLong: co_return bad_body("its reply is too long");
      case net::BodyEnd::kLate: break;
    }
    co_return silent();
  }

  [[nodiscard]] ProbeFault bad_body(std::string why) const {
    return {.code = ErrorCode::kUpstreamBadResponse, .status = status_, .why = std::move(why)};
  }

  ProbeParts parts_;
  runtime::CallContext context_;
  const HealthConfig& config_;
  const Replica& replica_;
  std::uint16_t status_ = 0;
  std::string body_;
};

}  // namespace

Task<std::optional<ProbeFault>> probe(ProbeParts parts, runtime::CallContext context) {
  Probe one(parts, context);
  co_return co_await one.run();
}

}  // namespace penstock::fleet
