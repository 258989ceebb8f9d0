#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "net/dialer.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "runtime/asio_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/thread.h"

namespace penstock::test {

template <class Client>
runtime::Task<void> run_all(const std::vector<std::unique_ptr<Client>>& clients,
                            runtime::AsioLoop& loop) {
  runtime::TaskGroup group;
  for (const auto& client : clients) group.spawn(client->run());
  co_await group.join();
  loop.stop();
}

// Runs clients on a few threads at once, each with a loop of its own, until every client's run()
// (a Task<void>) has ended. make(loop, dialer, number): the client of that number, counted over all
// threads; called on its thread, so possibly on several at once.
template <class Client, class Make>
void run_clients(const Clock& clock, std::uint32_t threads, std::uint32_t clients_per_thread,
                 Make make) {
  std::vector<runtime::Thread> running;
  for (std::uint32_t thread = 0; thread < threads; ++thread)
    running.emplace_back("clients", [&clock, &make, thread, clients_per_thread] {
      runtime::AsioLoop loop(clock);
      net::SystemResolver resolver(clock);
      net::TcpDialer dialer(resolver);
      std::vector<std::unique_ptr<Client>> clients;
      for (std::uint32_t i = 0; i < clients_per_thread; ++i)
        clients.push_back(make(loop, dialer, thread * clients_per_thread + i));
      runtime::TaskGroup group;
      group.spawn(run_all(clients, loop));
      loop.run();
    });
  for (runtime::Thread& thread : running) thread.join();
}

}  // namespace penstock::test
