#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "net/resolver.h"
#include "runtime/thread.h"

namespace penstock::net {

// Asks the system's resolver, on threads of its own, and remembers the answers for the whole
// process. Thread-safe.
//
// An answer is fresh for 30 s; after that it is still given at once while it is asked for anew, and
// kept for as long as asking fails. A name that never was known is not asked for again within 1 s.
// Callers that wait for the same name share one question.
class SystemResolver final : public Resolver {
 public:
  // Blocks; called on several threads at once. errors: any, with a detail.
  using Lookup = std::function<Result<std::vector<Address>>(const std::string& host)>;

  static constexpr std::size_t kNamesMax = 1024;  // then the one asked for longest ago goes
  static constexpr std::size_t kAddressesMax = 16;
  static constexpr Duration kFresh = 30s;
  static constexpr Duration kFailureKept = 1s;

  // clock: outlives the resolver.
  explicit SystemResolver(const Clock& clock);
  SystemResolver(const Clock& clock, Lookup lookup);
  // Ends waits with kUpstreamUnavailable; blocks while the system is still being asked something.
  ~SystemResolver() override;

  [[nodiscard]] runtime::Task<Result<std::vector<Address>>> resolve(
      runtime::EventLoop& loop, std::string host, runtime::CallContext context) override;

 private:
  class Names;
  static constexpr std::size_t kThreads = 4;  // one dead name server must not hold up all names

  std::shared_ptr<Names> names_;
  std::vector<runtime::Thread> threads_;
};

}  // namespace penstock::net
