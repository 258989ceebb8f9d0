#include "tests/socket/redis_rig.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "runtime/cancellation.h"
#include "runtime/rest.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "store/redis/client.h"
#include "store/redis/endpoint.h"
#include "store/redis/script.h"
#include "tests/socket/loop_thread.h"
#include "tests/socket/redis_proxy.h"

namespace penstock::store::redis {
namespace {

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

std::string key_of(std::string_view tag) { return "test:{" + std::string(tag) + "}:q"; }

runtime::Task<void> play_and_close(RedisRig& rig, runtime::Task<void> body) {
  rig.client.start();
  co_await std::move(body);
  co_await rig.client.close();
  if (rig.proxy != nullptr) co_await rig.proxy->close();
}

}  // namespace

int LoggedLines::count(std::string_view part) const {
  return static_cast<int>(std::ranges::count_if(
      lines, [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

RedisRig::RedisRig(Endpoint endpoint, Duration timeout)
    : client(loop, dialer, std::make_shared<const Endpoint>(std::move(endpoint)),
             Client::Options{.timeout = timeout}, std::make_unique<runtime::SystemRng>(),
             standing) {}

RedisRig::RedisRig(ThroughProxy to, Duration timeout)
    : proxy(std::make_unique<RedisProxy>(loop, dialer, to.redis_port)),
      client(loop, dialer, std::make_shared<const Endpoint>(endpoint_at(proxy->port())),
             Client::Options{.timeout = timeout}, std::make_unique<runtime::SystemRng>(),
             standing) {}

runtime::Task<RunResult> RedisRig::run(const Script& script, std::string_view tag,
                                       std::vector<std::string> arguments) {
  const std::string key = key_of(tag);
  const std::vector<std::string_view> keys = {key};
  const std::vector<std::string_view> words = views_of(arguments);
  const Command command{script, keys, words};
  co_return co_await client.run(command, TimePoint::max());
}

void RedisRig::post(const Script& script, std::string_view tag,
                    const std::vector<std::string>& arguments) {
  const std::string key = key_of(tag);
  const std::vector<std::string_view> keys = {key};
  const std::vector<std::string_view> words = views_of(arguments);
  ignore(client.post(Command{script, keys, words}), "the test tells");
}

runtime::Task<std::optional<Duration>> RedisRig::until_answered(std::string_view tag,
                                                                Duration within) {
  const TimePoint began = clock.now();
  while (clock.now() - began < within) {
    std::vector<std::string> arguments = {"x"};
    const RunResult result = co_await run(echo, tag, std::move(arguments));
    if (result) co_return clock.now() - began;
    co_await pause(5ms);
  }
  co_return std::nullopt;
}

runtime::Task<void> RedisRig::pause(Duration time) {
  runtime::Cancellation never;
  ignore(co_await runtime::rest_until(loop, never, clock.now() + time), "nobody ends it");
}

void RedisRig::play(runtime::Task<void> body) {
  net::run_to_end(loop, play_and_close(*this, std::move(body)));
}

Endpoint endpoint_at(std::uint16_t port) {
  Endpoint endpoint;
  endpoint.host = "127.0.0.1";
  endpoint.port = port;
  return endpoint;
}

}  // namespace penstock::store::redis
