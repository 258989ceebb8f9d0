#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/gateway_process.h"
#include "config/load.h"
#include "gateway/worker.h"
#include "tests/support/memory_files.h"

namespace penstock::test {

// A gateway as `serve` runs it, in this process and on real sockets, from a config without secrets.
// The test's own thread is its control thread.
class WholeGateway {
 public:
  // config: YAML. What is wrong with it, or keeps it from starting, fails the test; port() is 0.
  explicit WholeGateway(std::string config);

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }  // of the data plane
  // Drains, and ends with all that ran: nothing changes any more then.
  void end();
  [[nodiscard]] const gateway::Process& process() const noexcept { return gateway_->process(); }

 private:
  support::MemoryDisk disk_;
  support::MemorySecrets secrets_;
  config::LoadResult loaded_;
  std::unique_ptr<app::GatewayProcess> gateway_;
  std::uint16_t port_ = 0;
};

}  // namespace penstock::test
