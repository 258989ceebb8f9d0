#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/units.h"
#include "net/byte_stream.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::net {

class TlsClient;

// Where to connect and how.
struct Origin {
  std::string host;  // a name or an IP literal
  std::uint16_t port = 0;
  const TlsClient* tls = nullptr;  // nullptr: plain; outlives the connection
};

enum class DialEnd : std::uint8_t {
  kConnected,
  kRefused,     // refused, unreachable, reset
  kUnresolved,  // the name is not known
  kTls,         // the handshake failed: certificate, name, protocol
  kTimedOut,
  kCancelled,
  kLocal,  // no descriptors or ports of our own
};

struct Dialled {
  DialEnd end = DialEnd::kConnected;
  std::unique_ptr<ByteStream> stream;  // only with kConnected
  std::string detail;                  // for operators
};

// Makes connections. The real one is TcpDialer; tests hand out streams in memory.
class Dialer {
 public:
  virtual ~Dialer() = default;
  // Connects within `timeout`, TLS handshake included, or until the context ends it.
  [[nodiscard]] virtual runtime::Task<Dialled> dial(runtime::EventLoop& loop, const Origin& origin,
                                                    Duration timeout,
                                                    runtime::CallContext context) = 0;
};

}  // namespace penstock::net
