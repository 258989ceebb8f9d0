#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/gateway_process.h"
#include "config/load.h"
#include "gateway/worker.h"
#include "tests/support/memory_files.h"

namespace penstock::test {

// A gateway as `serve` runs it, in this process and on real sockets, from a config of a text.
// The test's own thread is its control thread.
class WholeGateway {
 public:
  // config: YAML; `env:REDIS` is `redis`. What is wrong with it, or keeps it from starting, fails
  // the test; port() is 0.
  explicit WholeGateway(std::string config, std::string redis = std::string());

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }  // of the data plane
  [[nodiscard]] std::uint16_t admin_port() const noexcept { return admin_port_; }
  // Runs the control thread's part while `work` is done on a thread beside, then drains and ends.
  void serve_while(const std::function<void()>& work);
  // Drains, and ends with all that ran: nothing changes any more then.
  void end();
  [[nodiscard]] const gateway::Process& process() const noexcept { return gateway_->process(); }

 private:
  support::MemoryDisk disk_;
  support::MemorySecrets secrets_;
  config::LoadResult loaded_;
  std::unique_ptr<app::GatewayProcess> gateway_;
  std::uint16_t port_ = 0;
  std::uint16_t admin_port_ = 0;
};

}  // namespace penstock::test
