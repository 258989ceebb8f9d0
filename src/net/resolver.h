#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"

namespace penstock::runtime {
class EventLoop;
}

namespace penstock::net {

// Turns a host's name into addresses. Literals never get here.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // The addresses to try, in order, at least one; their port is 0. Waits on `loop`'s thread only
  // while nothing at all is known of the name.
  // errors: kUpstreamUnavailable when the name is not known and never was; kDeadlineExceeded when
  // the context ended the wait.
  [[nodiscard]] virtual runtime::Task<Result<std::vector<Address>>> resolve(
      runtime::EventLoop& loop, std::string host, runtime::CallContext context) = 0;
};

}  // namespace penstock::net
