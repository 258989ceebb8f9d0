#include "lab/mock_control.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/result.h"
#include "lab/fault.h"
#include "lab/mock_path.h"
#include "lab/mock_reply.h"
#include "lab/mock_state.h"
#include "net/exchange.h"
#include "runtime/task.h"

namespace penstock::lab {
namespace {

constexpr std::size_t kBodyBytesMax = std::size_t{1} << 20;

bool takes(MockPath path, std::string_view method) noexcept {
  if (method == "GET") return path != MockPath::kReset;
  return method == "POST" && path != MockPath::kStats;
}

// What the request is answered with once it is done.
Result<std::string> obey(MockState& state, MockPath path, std::string_view method,
                         std::string_view body) {
  if (path == MockPath::kStats) return state.stats.json();
  if (path == MockPath::kReset) {
    state.set_fault({});
    state.stats.reset();
  } else if (method == "POST") {
    MockState::Set set;
    PENSTOCK_TRY(set.fault, parse_fault(body));
    set.json = body;
    state.set_fault(std::move(set));
  }
  return state.fault()->json;
}

}  // namespace

runtime::Task<void> serve_control(MockState& state, net::Exchange& exchange, MockPath path) {
  const net::BodyLimits limits{
      .memory = state.body_memory, .bytes_max = kBodyBytesMax, .wait = 10s};
  Result<std::string_view> body = co_await exchange.read_body(limits);
  if (!body) co_return co_await reply_error(exchange, std::move(body).error());
  const std::string_view method = exchange.head().method;
  Result<std::string> said = takes(path, method)
                                 ? obey(state, path, method, *body)
                                 : Result<std::string>(fail(ErrorCode::kMethodNotAllowed));
  if (!said) co_return co_await reply_error(exchange, std::move(said).error());
  co_await reply_json(exchange, *std::move(said));
}

}  // namespace penstock::lab
