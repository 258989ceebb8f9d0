#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/seams.h"
#include "base/units.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "runtime/asio_loop.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "store/redis/client.h"
#include "store/redis/endpoint.h"
#include "store/redis/script.h"
#include "store/redis/standing.h"
#include "tests/socket/redis_proxy.h"

namespace penstock::store::redis {

// Lines that were logged.
class LoggedLines final : public LogSink {
 public:
  void write(std::string_view line) noexcept override { lines.emplace_back(line); }
  [[nodiscard]] int count(std::string_view part) const;
  std::vector<std::string> lines;
};

// A Redis on 127.0.0.1 that is reached through a RedisProxy.
struct ThroughProxy {
  std::uint16_t redis_port = 0;
};

// A client on a real loop, and what it stands on.
struct RedisRig {
  explicit RedisRig(Endpoint endpoint, Duration timeout = 50ms);
  RedisRig(ThroughProxy to, Duration timeout);

  // Runs the script with one key of the tag and these arguments.
  [[nodiscard]] runtime::Task<RunResult> run(const Script& script, std::string_view tag,
                                             std::vector<std::string> arguments);
  void post(const Script& script, std::string_view tag, const std::vector<std::string>& arguments);
  // Asks a script that echoes `word` until it is answered, or `within` has passed; how long it
  // took.
  [[nodiscard]] runtime::Task<std::optional<Duration>> until_answered(std::string_view tag,
                                                                      Duration within);
  // Waits so long, with the loop at work.
  [[nodiscard]] runtime::Task<void> pause(Duration time);
  // Runs the test's body, then closes the client.
  void play(runtime::Task<void> body);

  runtime::SystemClock clock;
  runtime::AsioLoop loop{clock};
  net::SystemResolver resolver{clock};
  net::TcpDialer dialer{resolver};
  LoggedLines log;
  Standing standing{log};
  std::unique_ptr<RedisProxy> proxy;  // only with ThroughProxy
  Script echo{"return {id, ARGV[1]}"};
  Client client;
};

[[nodiscard]] Endpoint endpoint_at(std::uint16_t port);

}  // namespace penstock::store::redis
