#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "lab/load.h"
#include "lab/runner/bench.h"
#include "lab/runner/call_record.h"
#include "lab/runner/child.h"
#include "lab/runner/children.h"
#include "lab/runner/gateway_plan.h"

namespace penstock::lab {

// One arrangement of processes within an experiment: mocks, gateways, load. Everything it starts
// ends with it, by its id. Each step also checks that the trial is what it claims to be; what does
// not hold makes the experiment invalid.
class Trial {
 public:
  // name: of its files. The bench outlives it.
  Trial(Bench& bench, std::string name);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial();

  // Each starts a process and waits until it is ready. errors: that it could not be.
  // The pointers live as long as the trial.
  [[nodiscard]] Result<MockChild*> mock(std::string name, std::string_view fault = "{}");
  [[nodiscard]] Result<GatewayChild*> gateway(GatewayPlan plan);
  // Any other program, which ends with the trial. port: where it is going to listen.
  [[nodiscard]] Result<Child*> program(ChildOptions options, std::uint16_t port);
  // A second life for a gateway that has ended, at the same ports.
  [[nodiscard]] Result<void> start_again(GatewayChild& gateway);

  // Begins a load. Its name is that of its records; --records, --json are added.
  [[nodiscard]] Result<LoadChild*> load(std::string name, LoadOptions options);
  // Waits for its end and reads what it recorded.
  [[nodiscard]] Result<void> finish(LoadChild& load);
  // Both.
  [[nodiscard]] Result<LoadChild*> run_load(std::string name, LoadOptions options);

  // Kills a process as the experiment's point, and checks that it is gone and its port closed.
  [[nodiscard]] Result<void> kill(MockChild& mock);

  // Stops a process in its tracks (SIGSTOP), and checks that it is: it lives, and does nothing.
  [[nodiscard]] Result<void> freeze(MockChild& mock);
  // Sets the faults of a mock, and notes it.
  [[nodiscard]] Result<void> fault(const MockChild& mock, std::string_view json);
  // A further condition without which the trial proves nothing. fault: says what is wrong; empty:
  // nothing.
  void check(std::string what, const std::function<std::string()>& fault);

  // Writes something that happened, and when, into the trial's timeline.
  void note(std::string text);
  // Milliseconds from the first load's start to `at` (microseconds, monotonic).
  [[nodiscard]] double since_start_ms(std::int64_t at) const;

  // Ends everything that still runs, joins the records with the access logs, checks the machine's
  // share and that all are gone, writes the evidence. Once.
  [[nodiscard]] Result<void> end();

  // The evidence file of a load's records, as claims name it.
  [[nodiscard]] std::string source(const LoadChild& load) const;
  [[nodiscard]] std::string timeline_source() const;

 private:
  struct Other {
    std::unique_ptr<Child> child;
    std::uint16_t port = 0;
  };
  struct Note {
    std::int64_t at = 0;
    std::string text;
  };
  [[nodiscard]] std::string scratch(std::string_view file) const;
  [[nodiscard]] Result<std::unique_ptr<Child>> start(std::string_view name,
                                                     std::vector<std::string> arguments);
  [[nodiscard]] Result<std::uint16_t> await_port(Child& child, std::string_view member) const;
  [[nodiscard]] std::vector<Child*> children() const;
  [[nodiscard]] Duration cpu_time() const;
  void check_share();
  Result<void> end_child(Child& child) const;
  Result<void> join_logs();
  void check_joined();
  Result<void> write_evidence();

  Bench& bench_;
  std::string name_;
  std::vector<std::unique_ptr<MockChild>> mocks_;
  std::vector<std::unique_ptr<GatewayChild>> gateways_;
  std::vector<std::unique_ptr<LoadChild>> loads_;
  std::vector<std::unique_ptr<Other>> others_;
  std::vector<std::unique_ptr<Child>> ended_;  // earlier lives of gateways
  std::vector<Note> notes_;
  TimePoint busy_from_{};  // the first load's start
  Duration cpu_before_{};
  std::uint64_t started_ = 0;  // processes of this binary
  bool ended_all_ = false;
};

}  // namespace penstock::lab
