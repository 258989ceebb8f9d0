#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "base/seams.h"
#include "fleet/probe.h"
#include "fleet/provider.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"

namespace penstock::fleet {

// Asks each replica of the providers with `health` how it is, again and again, and writes the
// answers into its state. One in the process, on the control thread's loop.
class Prober {
 public:
  // log: told when a replica goes out or comes back.
  Prober(runtime::EventLoop& loop, net::Dialer& dialer, std::unique_ptr<Rng> rng, LogSink& log)
      : loop_(loop), dialer_(dialer), rng_(std::move(rng)), log_(log) {}
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  // Probes every replica now and then at its interval, until close(). Once.
  void start(std::shared_ptr<const std::vector<Provider>> providers);
  // Ends what is under way and waits for it.
  [[nodiscard]] runtime::Task<void> close();

 private:
  [[nodiscard]] runtime::Task<void> watch(const Provider* provider, std::size_t replica);
  void settle(const Provider& provider, std::size_t replica,
              const std::optional<ProbeFault>& fault);
  void tell(const Provider& provider, std::size_t replica, const std::optional<ProbeFault>& fault);

  runtime::EventLoop& loop_;
  net::Dialer& dialer_;
  std::unique_ptr<Rng> rng_;
  LogSink& log_;
  std::shared_ptr<const std::vector<Provider>> providers_;
  runtime::Cancellation stop_;
  runtime::TaskGroup watches_;
};

}  // namespace penstock::fleet
