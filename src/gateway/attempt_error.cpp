#include "gateway/attempt_error.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/error.h"
#include "base/error_code.h"
#include "fleet/provider.h"
#include "gateway/request_scope.h"
#include "net/byte_stream.h"
#include "net/connection_pool.h"
#include "net/dialer.h"
#include "net/http_call.h"
#include "policy/posture.h"

namespace penstock::gateway {
namespace {

Error made(ErrorCode code, std::string_view message, std::string detail = std::string()) {
  Error error(code, std::string(message));
  error.detail = std::move(detail);
  return error;
}

Error not_dialled(const net::Acquired& acquired) {
  constexpr auto kCode = ErrorCode::kUpstreamUnavailable;
  switch (acquired.dial) {
    case net::DialEnd::kRefused:
      return made(kCode, "The provider refused the connection.", acquired.detail);
    case net::DialEnd::kUnresolved:
      return made(kCode, "The provider's host name is not known.", acquired.detail);
    case net::DialEnd::kTls:
      return made(kCode, "The TLS handshake with the provider failed.", acquired.detail);
    case net::DialEnd::kTimedOut:
      return made(ErrorCode::kUpstreamTimeout,
                  "The provider did not accept the connection in time.", acquired.detail);
    case net::DialEnd::kLocal:
      return made(policy::refusal_code(policy::Failure::kDescriptorsOut),
                  "The gateway has no descriptor or port left.", acquired.detail);
    case net::DialEnd::kCancelled: return stopped();
    case net::DialEnd::kConnected: break;
  }
  PENSTOCK_ASSERT(false);
}

}  // namespace

Error memory_full() {
  return {policy::refusal_code(policy::Failure::kMemoryFull), "The memory for bodies is full."};
}

Error stopped() { return Error(ErrorCode::kDraining); }

Error late(const RequestScope& scope, std::string_view message) {
  if (scope.now() >= scope.patience_end()) return Error(ErrorCode::kDeadlineExceeded);
  return made(ErrorCode::kUpstreamTimeout, message);
}

Error no_connection(const net::Acquired& acquired, const fleet::Provider& provider) {
  switch (acquired.end) {
    case net::AcquireEnd::kQueueFull:
      return made(ErrorCode::kOverloaded,
                  "Too many requests wait for a connection to " + provider.name + ".");
    case net::AcquireEnd::kWaitedOut:
      return made(ErrorCode::kOverloaded,
                  "No connection to " + provider.name + " came free in time.");
    case net::AcquireEnd::kStopped: return stopped();
    case net::AcquireEnd::kDial: return not_dialled(acquired);
    case net::AcquireEnd::kConnection: break;
  }
  PENSTOCK_ASSERT(false);
}

Error no_head(net::HeadEnd end, net::IoEnd sent, const std::string& detail) {
  switch (end) {
    case net::HeadEnd::kClosed:
      return made(ErrorCode::kUpstreamUnavailable,
                  sent == net::IoEnd::kOk ? "The provider closed the connection without a reply."
                                          : "The provider closed the connection.");
    case net::HeadEnd::kCut:
      return made(ErrorCode::kUpstreamUnavailable, "The provider's reply ended within its head.");
    case net::HeadEnd::kMalformed:
      return made(ErrorCode::kUpstreamBadResponse, "The provider's reply is not proper HTTP.",
                  detail);
    case net::HeadEnd::kTimedOut:
      return made(ErrorCode::kUpstreamTimeout, "The provider did not answer in time.");
    case net::HeadEnd::kStopped: return stopped();
    case net::HeadEnd::kHead: break;
  }
  PENSTOCK_ASSERT(false);
}

}  // namespace penstock::gateway
