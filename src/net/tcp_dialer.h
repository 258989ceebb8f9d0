#pragma once

#include <cstddef>

#include "net/dialer.h"
#include "net/resolver.h"

namespace penstock::net {

// Dials over TCP, and TLS where the origin says so. The loop must be an AsioLoop. Stateless but for
// the resolver: workers may share one.
//
// A name's addresses are tried in order, each with an equal share of the time that is left, so that
// one black hole does not hide the next. kTimedOut means that `timeout` passed, kCancelled that the
// context ended the dialling, its deadline included.
class TcpDialer final : public Dialer {
 public:
  static constexpr std::size_t kAddressesMax = 4;

  // resolver: outlives the dialer.
  explicit TcpDialer(Resolver& resolver) : resolver_(resolver) {}

  [[nodiscard]] runtime::Task<Dialled> dial(runtime::EventLoop& loop, const Origin& origin,
                                            Duration timeout,
                                            runtime::CallContext context) override;

 private:
  Resolver& resolver_;
};

}  // namespace penstock::net
