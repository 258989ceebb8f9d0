#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "lab/ask.h"

namespace penstock::lab {

// What the mock has served. Thread-safe; one short lock a request.
class MockStats {
 public:
  static constexpr std::size_t kModelsMax = 1000;  // more are counted as "other"

  // name: told with the process's id, so that one mock can be known from another.
  explicit MockStats(std::string name) : name_(std::move(name)) {}

  // Counts a request that is being served, until its end.
  class Serving {
   public:
    Serving(MockStats& stats, const Ask& ask);
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;
    ~Serving();
    // Tokens that were sent, and nobody's interest in the rest.
    void sent(std::uint64_t tokens) noexcept { tokens_out_ = tokens; }
    void cancelled() noexcept { cancelled_ = true; }

   private:
    MockStats& stats_;
    std::uint64_t tokens_out_ = 0;
    bool cancelled_ = false;
  };

  // A request whose body said nothing sensible, or that was failed before it was looked at.
  void add_failed();
  // The number of this request, from 0, among those that error_rate looks at.
  [[nodiscard]] std::uint64_t next_draw();
  void connection_opened();
  void connection_closed();
  // All counters but those of what is there now begin again.
  void reset();
  // The body of GET /mock/stats.
  [[nodiscard]] std::string json() const;

 private:
  struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t streams = 0;
    std::uint64_t tokens_in = 0;
    std::uint64_t tokens_out = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t failed = 0;
    std::uint64_t draws = 0;
    std::uint64_t connections_total = 0;
  };

  const std::string name_;
  mutable std::mutex mutex_;
  Counts counts_;
  std::map<std::string, std::uint64_t, std::less<>> by_model_;
  std::uint64_t in_flight_ = 0;
  std::uint64_t connections_ = 0;
};

}  // namespace penstock::lab
