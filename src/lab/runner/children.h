#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "lab/load.h"
#include "lab/runner/call_record.h"
#include "lab/runner/child.h"
#include "lab/runner/gateway_plan.h"
#include "lab/runner/metrics_text.h"

// The processes that experiments are made of. Each lives in the Trial that started it.
namespace penstock::lab {

// A mock provider.
struct MockChild {
  std::string name;
  std::unique_ptr<Child> child;
  std::uint16_t port = 0;

  [[nodiscard]] std::string url() const { return "http://" + place(); }
  // host:port, as the gateway calls the replica.
  [[nodiscard]] std::string place() const { return "127.0.0.1:" + std::to_string(port); }
  // Replaces its faults; "{}" clears them.
  [[nodiscard]] Result<void> fault(std::string_view json) const;
  // A member of GET /mock/stats.
  [[nodiscard]] Result<std::uint64_t> stat(std::string_view name) const;
  // The name that the process at its port bears, and its id.
  struct Identity {
    std::string name;
    pid_t pid = 0;
  };
  [[nodiscard]] Result<Identity> identity() const;
};

// A gateway under test.
struct GatewayChild {
  GatewayPlan plan;
  std::unique_ptr<Child> child;
  std::string access_log;
  std::uint16_t data_port = 0;
  std::uint16_t admin_port = 0;

  [[nodiscard]] std::string url() const { return "http://" + place(); }
  [[nodiscard]] std::string place() const { return "127.0.0.1:" + std::to_string(data_port); }
  [[nodiscard]] Result<MetricsText> metrics() const;
};

// A load generator, and what it recorded once it has ended.
struct LoadChild {
  std::string name;
  LoadOptions options;
  std::unique_ptr<Child> child;
  std::string records_path;
  std::int64_t started = 0;  // on the monotonic clock, in microseconds
  Calls calls;
  bool finished = false;
};

// The command line for these options, without the program.
[[nodiscard]] std::vector<std::string> load_arguments(const LoadOptions& options);
// When a load began, by the report that it printed. errors: kInvalidJson without it.
[[nodiscard]] Result<std::int64_t> load_started(std::string_view report);
// How many requests an open loop is to begin; 0 for a closed one.
[[nodiscard]] std::uint64_t planned(const LoadOptions& options);
// How many were under way together, at most.
[[nodiscard]] std::size_t most_at_once(const Calls& calls);
// How many first tries were begun within 100 ms of when they were due.
[[nodiscard]] std::uint64_t begun_in_time(const Calls& calls);

// The port in the "listening" line that a process of ours prints once it is ready: the one behind
// this member. nullopt: no such line yet.
[[nodiscard]] std::optional<std::uint16_t> listening_port(std::string_view text,
                                                          std::string_view member);

}  // namespace penstock::lab
