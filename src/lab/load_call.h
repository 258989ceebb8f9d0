#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"
#include "lab/load_advice.h"
#include "lab/load_record.h"
#include "net/connection_pool.h"
#include "net/http_call.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "wire/response_head.h"
#include "wire/sse.h"

namespace penstock::lab {

// What a request of the load generator needs; all of it outlives the request.
struct LoadCallContext {
  runtime::EventLoop& loop;
  net::ConnectionPool& pool;
  runtime::Cancellation& cancellation;  // the end of the run
  std::string_view request;             // all its bytes
  bool stream = false;
};

// When one request begins and ends at the latest.
struct LoadCallTimes {
  TimePoint intended;
  TimePoint due;    // the time-out
  TimePoint leave;  // when we go away; max: never
};

// Sends one request and reads its reply to the end. A pooled connection that turns out to be
// closed is replaced once.
class LoadCall {
 public:
  LoadCall(const LoadCallContext& context, const LoadCallTimes& times);
  LoadCall(const LoadCall&) = delete;
  LoadCall& operator=(const LoadCall&) = delete;

  // Once. `start` and `late` of the record are the caller's.
  [[nodiscard]] runtime::Task<LoadRecord> run();
  // What the reply, or its absence, advises; after run().
  [[nodiscard]] LoadAdvice advice() const noexcept { return advice_; }

 private:
  enum class Tried : std::uint8_t { kDone, kReusable, kStale };
  [[nodiscard]] runtime::Task<Tried> attempt(net::PooledConnection& connection);
  [[nodiscard]] runtime::Task<void> read_body(net::HttpCall& call);
  void take_head(const wire::ResponseHead& head);
  void take_data(std::string_view data);
  void take_events();
  void finish_body();
  [[nodiscard]] bool is_stream() const noexcept { return event_stream_ && record_.status == 200; }
  [[nodiscard]] TimePoint until() const noexcept { return std::min(times_.due, times_.leave); }
  // How a request ended that ran out of time.
  [[nodiscard]] LoadEnd time_over() const noexcept {
    return times_.leave < times_.due ? LoadEnd::kAborted : LoadEnd::kTimeout;
  }
  [[nodiscard]] Duration since_intended() const noexcept {
    return context_.loop.clock().now() - times_.intended;
  }

  const LoadCallContext& context_;
  LoadCallTimes times_;
  LoadRecord record_;
  LoadAdvice advice_{.retry = true};  // as for a lost connection, until there is a reply
  wire::SseParser events_;
  std::string error_body_;  // the beginning of a reply that is no success
  bool event_stream_ = false;
  bool finished_ = false;  // a finish reason or [DONE]
};

}  // namespace penstock::lab
