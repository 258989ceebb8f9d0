#include "store/redis/standing.h"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/log_line.h"
#include "store/redis/outage.h"

namespace penstock::store::redis {

void Standing::opened(std::string_view node, OutageReason why, std::string_view detail) {
  {
    const std::scoped_lock lock(mutex_);
    if (++open_of_[std::string(node)] != 1) return;
  }
  json::LogLine(json::LogLevel::kWarn, "store away")
      .with("store", "redis")
      .with("node", node)
      .with("why", name(why))
      .with("detail", detail)
      .write_to(log_);
}

// Takes one client off those that left the node alone; true when it was the last.
bool Standing::last_of(std::string_view node) {
  const std::scoped_lock lock(mutex_);
  const auto at = open_of_.find(node);
  if (at == open_of_.end() || --at->second != 0) return false;
  open_of_.erase(at);
  return true;
}

void Standing::closed(std::string_view node) {
  if (!last_of(node)) return;
  json::LogLine(json::LogLevel::kInfo, "store back")
      .with("store", "redis")
      .with("node", node)
      .write_to(log_);
}

void Standing::forgot(std::string_view node) { ignore(last_of(node), "nothing is said of it"); }

void Standing::mismatched(std::string_view node) {
  mismatches_.fetch_add(1, std::memory_order_relaxed);
  json::LogLine(json::LogLevel::kWarn, "store answered another call")
      .with("store", "redis")
      .with("node", node)
      .with("alert", "store_mismatch")
      .write_to(log_);
}

}  // namespace penstock::store::redis
