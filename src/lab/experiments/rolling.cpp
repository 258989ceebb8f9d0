#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "lab/experiments/experiments.h"
#include "lab/experiments/figures.h"
#include "lab/load.h"
#include "lab/runner/bench.h"
#include "lab/runner/call_record.h"
#include "lab/runner/child.h"
#include "lab/runner/children.h"
#include "lab/runner/gateway_plan.h"
#include "lab/runner/proc.h"
#include "lab/runner/report.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

constexpr const char* kFault = R"({"latency_ms":50,"inter_token_ms":20,"tokens":50})";
constexpr const char* kDrain = "drain: { settle: 1s, timeout: 30s }";

// A listening socket that HAProxy is handed, so that its port is known before it starts.
class Listening {
 public:
  Listening() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, generic, size) == 0 && ::listen(socket_, SOMAXCONN) == 0 &&
        ::getsockname(socket_, generic, &size) == 0)
      port_ = ntohs(address.sin_port);
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  ~Listening() { close(); }

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  [[nodiscard]] int descriptor() const noexcept { return socket_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

using Gateways = std::array<GatewayChild*, 3>;

// As docs/operations advises: readiness decides, and nothing is sent twice by the balancer but what
// no server accepted.
std::string balancer_config(const Gateways& gateways, int descriptor) {
  std::string text = fmt::format(
      "global\n  maxconn 2000\n\ndefaults\n  mode http\n  option http-keep-alive\n"
      "  option redispatch\n  retries 3\n  timeout connect 2s\n  timeout client 60s\n"
      "  timeout server 60s\n  timeout http-keep-alive 60s\n\nfrontend front\n  bind fd@{}\n"
      "  default_backend gateways\n\nbackend gateways\n  balance roundrobin\n"
      "  option httpchk GET /readyz\n  http-check expect status 200\n"
      "  default-server check inter 100ms fastinter 50ms fall 2 rise 2\n",
      descriptor);
  for (const GatewayChild* const gateway : gateways)
    text += fmt::format("  server {} {}\n", gateway->plan.name, gateway->place());
  return text;
}

Result<std::uint16_t> start_balancer(Bench& bench, Trial& trial, const Gateways& gateways) {
  Listening listening;
  const std::string path = (bench.evidence / "rolling-haproxy.cfg").string();
  std::ofstream(path) << balancer_config(gateways, listening.descriptor());
  std::string program = "/usr/sbin/haproxy";
  if (::access(program.c_str(), X_OK) != 0) program = "/usr/local/sbin/haproxy";
  PENSTOCK_TRY(Child* const haproxy, trial.program({.arguments = {program, "-db", "-f", path},
                                                    .out = {},
                                                    .err = {},
                                                    .inherit = listening.descriptor()},
                                                   listening.port()));
  ignore(haproxy, "it lives in the trial");
  return listening.port();
}

// A second for HAProxy to see what is new; its checks come each 100 ms.
Result<void> settle(const Bench& bench) { return bench.wait(1s); }

// Ends one gateway as an operator would and starts it again; returns its exit code.
Result<int> restart(Bench& bench, Trial& trial, GatewayChild& gateway) {
  trial.note(fmt::format("SIGTERM to {} (process {})", gateway.plan.name, gateway.child->pid()));
  bench.say(fmt::format("restarting {}", gateway.plan.name));
  gateway.child->signal(SIGTERM);
  PENSTOCK_TRY(const bool left, bench.until(40s, [&] { return !gateway.child->running(); }));
  if (!left) return fail(ErrorCode::kInternal, gateway.plan.name + " does not leave");
  const int code = gateway.child->exit_code().value_or(-1);
  trial.note(fmt::format("{} left with exit code {}", gateway.plan.name, code));
  PENSTOCK_CHECK(trial.start_again(gateway));
  trial.note(fmt::format("{} is back (process {})", gateway.plan.name, gateway.child->pid()));
  PENSTOCK_CHECK(settle(bench));
  return code;
}

LoadOptions through(std::uint16_t port, Duration time) {
  LoadOptions options;
  options.url = fmt::format("http://127.0.0.1:{}", port);
  options.model = "chat";
  options.duration = time;
  return options;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

struct Rolled {
  int exits = 0;
  int clean_exits = 0;
  std::size_t served_less = 0;  // restarts after which a gateway served nothing
};

Result<Rolled> roll(Bench& bench, Trial& trial, const Gateways& gateways, int rounds) {
  Rolled rolled;
  for (int round = 0; round < rounds; ++round) {
    for (GatewayChild* const gateway : gateways) {
      PENSTOCK_TRY(const int code, restart(bench, trial, *gateway));
      ++rolled.exits;
      rolled.clean_exits += code == 0 ? 1 : 0;
      const std::size_t before = lines_of(file_text(gateway->access_log));
      PENSTOCK_CHECK(settle(bench));
      rolled.served_less += lines_of(file_text(gateway->access_log)) > before ? 0U : 1U;
    }
  }
  return rolled;
}

}  // namespace

Result<void> run_rolling(Bench& bench) {
  Trial trial(bench, "rolling");
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  Gateways gateways{};
  for (std::size_t i = 0; i < gateways.size(); ++i) {
    GatewayPlan plan = one_provider({mock->url()}, {});
    plan.name = fmt::format("gateway-{}", i + 1);
    plan.sections = {kDrain};
    PENSTOCK_TRY(gateways[i], trial.gateway(std::move(plan)));
  }
  PENSTOCK_TRY(const std::uint16_t port, start_balancer(bench, trial, gateways));
  PENSTOCK_CHECK(settle(bench));
  const int rounds = bench.pick(3, 1);
  const Duration time = 2s + rounds * 18s;
  LoadOptions unary = through(port, time);
  unary.rps = 40;
  unary.max_tokens = 1;
  LoadOptions streamed = through(port, time);
  streamed.stream = true;
  streamed.concurrency = 20;
  PENSTOCK_TRY(LoadChild* const calls, trial.load("unary", std::move(unary)));
  PENSTOCK_TRY(LoadChild* const streams, trial.load("streams", std::move(streamed)));
  PENSTOCK_CHECK(settle(bench));
  PENSTOCK_TRY(const Rolled rolled, roll(bench, trial, gateways, rounds));
  trial.check("the load went on past the last restart",
              [calls]() -> std::string { return calls->child->running() ? "" : "it had ended"; });
  trial.check("each gateway served again after its restart", [&rolled]() -> std::string {
    return rolled.served_less == 0 ? "" : fmt::format("{} did not", rolled.served_less);
  });
  PENSTOCK_CHECK(trial.finish(*calls));
  PENSTOCK_CHECK(trial.finish(*streams));
  PENSTOCK_CHECK(trial.end());

  Report& report = bench.report;
  report.claim(fmt::format("unary requests that failed, of {}", calls->calls.size()), exactly(0),
               static_cast<double>(errors_in(calls->calls)), trial.source(*calls));
  report.claim(fmt::format("streams that failed, of {}", streams->calls.size()), exactly(0),
               static_cast<double>(errors_in(streams->calls)), trial.source(*streams));
  report.claim("exits with code 0", exactly(rolled.exits), rolled.clean_exits,
               trial.timeline_source());
  report.figure("p99 of unary requests", total_percentile(calls->calls, 990), "ms",
                trial.source(*calls));
  return {};
}

}  // namespace penstock::lab
