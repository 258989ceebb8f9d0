#include "tests/scenario/run.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/units.h"
#include "net/dialer.h"
#include "runtime/timer.h"
#include "tests/scenario/check.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/support/peer.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

constexpr Duration kPatience = 2h;  // virtual; nothing in a scenario takes longer

// One scenario being played.
class Play {
 public:
  explicit Play(const Scenario& scenario)
      : scenario_(scenario),
        rig_(scenario.config, scenario.provider, scenario.to_provider, scenario.from_provider),
        began_(rig_.loop.now()) {}

  void run() {
    if (!rig_.ok()) return;
    prepare();
    if (scenario_.control) rig_.start_control();
    for (const auto& [at, what] : events_) {
      rig_.loop.advance(began_ + at - rig_.loop.now());
      what();
      rig_.loop.run_until_idle();
    }
    const auto all_idle = [this] {
      return std::ranges::all_of(clients_, [](const auto& named) { return named.second->idle(); });
    };
    ignore(rig_.loop.advance_until(all_idle, kPatience),
           "a reply that is open is reported as such");
    rig_.loop.advance(2 * runtime::TimerWheel::kTick);  // whoever is to be told of a departure is
    for (std::size_t i = 0; i < scenario_.calls.size(); ++i) check_call(i);
    check_asked(scenario_, rig_);
    clients_.clear();
    rig_.expect_settled();
    check_log(scenario_, rig_.log.lines);
    check_cut(scenario_, rig_.operators_log.lines);
    check_told(scenario_.told, rig_.operators_log.lines);
    check_told(scenario_.audited, rig_.audit_log.lines);
    if (scenario_.audit_lines) EXPECT_EQ(rig_.audit_log.lines.size(), *scenario_.audit_lines);
    if (scenario_.cut) EXPECT_EQ(rig_.process().cut.load(), scenario_.cut->size());
    check_metrics(scenario_, rig_.metrics());
  }

 private:
  void prepare() {
    prepare_network();
    for (const test::Answer& answer : scenario_.answers) rig_.upstream.answer(answer);
    for (const test::Answer& answer : scenario_.key_answers) rig_.issuer.answer(answer);
    if (scenario_.answer_always && !scenario_.answers.empty())
      rig_.upstream.answer_always(scenario_.answers.back());
    sent_at_.resize(scenario_.calls.size());
    for (std::size_t i = 0; i < scenario_.calls.size(); ++i) prepare_call(i);
    if (scenario_.drain_at)
      events_.insert({*scenario_.drain_at, [this] { rig_.begin_to_drain(); }});
    if (scenario_.close_idle_at)
      events_.insert({*scenario_.close_idle_at, [this] { rig_.close_idle(); }});
    if (scenario_.shut_down_at)
      events_.insert({*scenario_.shut_down_at, [this] { rig_.shut_down(); }});
    if (scenario_.unsent_at)
      events_.insert({*scenario_.unsent_at,
                      [this] { EXPECT_GE(rig_.upstream.unsent(), scenario_.unsent_min); }});
  }

  void prepare_network() {
    const std::map<std::string, net::DialEnd> ends{{"refuse", net::DialEnd::kRefused},
                                                   {"unresolved", net::DialEnd::kUnresolved},
                                                   {"tls", net::DialEnd::kTls},
                                                   {"local", net::DialEnd::kLocal}};
    if (scenario_.network == "throws") return rig_.net.exhaust(GatewayRig::kPlace);
    if (scenario_.network == "hang") return rig_.net.hang(GatewayRig::kPlace);
    if (const auto end = ends.find(scenario_.network); end != ends.end())
      rig_.net.fail(GatewayRig::kPlace, end->second);
  }

  [[nodiscard]] std::string client_of(std::size_t place) const {
    const ClientCall& call = scenario_.calls[place];
    return call.on.empty() ? "call " + std::to_string(place) : call.on;
  }

  void prepare_call(std::size_t place) {
    const ClientCall& call = scenario_.calls[place];
    events_.insert({call.at, [this, place] { send(place); }});
    if (call.read_at)
      events_.insert(
          {*call.read_at, [this, place] { clients_.at(client_of(place))->resume_reading(); }});
    if (call.leave_at && *call.leave_at != call.at)
      events_.insert({*call.leave_at, [this, place] {
                        clients_.at(client_of(place))->leave(scenario_.calls[place].leave);
                      }});
  }

  void send(std::size_t place) {
    const ClientCall& call = scenario_.calls[place];
    std::unique_ptr<Client>& client = clients_[client_of(place)];
    if (client == nullptr) {
      const auto reading =
          call.read_at ? test::Peer::Reading::kPaused : test::Peer::Reading::kAlways;
      client = std::make_unique<Client>(rig_.loop, rig_.connect(call.to_client).client, reading);
    }
    sent_at_[place] = rig_.loop.now();
    client->send(call, place);
    if (call.leave_at == call.at) client->leave(call.leave);  // in the same packet
  }

  void check_call(std::size_t place) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "call " + std::to_string(place));
    const Client& client = *clients_.at(client_of(place));
    const Reply& reply = client.reply(place);
    check_reply(scenario_.calls[place].expected, reply, client.over() ? Line::kOver : Line::kOpen);
    const std::optional<Duration>& took = scenario_.calls[place].expected.took;
    if (!took) return;
    EXPECT_GE(reply.ended - sent_at_[place], *took);
    EXPECT_LE(reply.ended - sent_at_[place], *took + 2 * runtime::TimerWheel::kTick);
  }

  const Scenario& scenario_;
  GatewayRig rig_;
  TimePoint began_;
  std::multimap<Duration, std::function<void()>> events_;  // equal times: in the file's order
  std::vector<TimePoint> sent_at_;
  std::map<std::string, std::unique_ptr<Client>> clients_;
};

}  // namespace

void run(const Scenario& scenario) {
  ASSERT_FALSE(scenario.calls.empty()) << scenario.config;
  Play play(scenario);
  play.run();
}

}  // namespace penstock::scenario
