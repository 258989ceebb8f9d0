#include "lab/mock_stats.h"

#include <cstdint>
#include <mutex>

#include <unistd.h>

#include "json/string.h"
#include "json/writer.h"
#include "lab/ask.h"

namespace penstock::lab {

MockStats::Serving::Serving(MockStats& stats, const Ask& ask) : stats_(stats) {
  const std::lock_guard lock(stats.mutex_);
  ++stats.counts_.requests;
  ++stats.in_flight_;
  stats.counts_.streams += ask.stream ? 1U : 0U;
  stats.counts_.tokens_in += ask.prompt_tokens;
  auto at = stats.by_model_.find(ask.model_raw);
  if (at == stats.by_model_.end()) {
    const bool full = stats.by_model_.size() >= kModelsMax;
    at = stats.by_model_.try_emplace(full ? "other" : std::string(ask.model_raw)).first;
  }
  ++at->second;
}

MockStats::Serving::~Serving() {
  const std::lock_guard lock(stats_.mutex_);
  --stats_.in_flight_;
  stats_.counts_.tokens_out += tokens_out_;
  stats_.counts_.cancelled += cancelled_ ? 1U : 0U;
}

void MockStats::add_failed() {
  const std::lock_guard lock(mutex_);
  ++counts_.requests;
  ++counts_.failed;
}

std::uint64_t MockStats::next_draw() {
  const std::lock_guard lock(mutex_);
  return counts_.draws++;
}

void MockStats::connection_opened() {
  const std::lock_guard lock(mutex_);
  ++connections_;
  ++counts_.connections_total;
}

void MockStats::connection_closed() {
  const std::lock_guard lock(mutex_);
  --connections_;
}

void MockStats::reset() {
  const std::lock_guard lock(mutex_);
  counts_ = {};
  by_model_.clear();
}

std::string MockStats::json() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("requests").integer(counts_.requests);
  writer.key("by_model").begin_object();
  for (const auto& [model, count] : by_model_) writer.key(json::unescape(model)).integer(count);
  writer.end_object();
  writer.key("streams").integer(counts_.streams);
  writer.key("tokens_in").integer(counts_.tokens_in);
  writer.key("tokens_out").integer(counts_.tokens_out);
  writer.key("cancelled").integer(counts_.cancelled);
  writer.key("failed").integer(counts_.failed);
  writer.key("in_flight").integer(in_flight_);
  writer.key("connections").integer(connections_);
  writer.key("connections_total").integer(counts_.connections_total);
  writer.key("identity").begin_object();
  writer.key("pid").integer(::getpid());
  writer.key("name").string(name_);
  writer.end_object().end_object();
  return out;
}

}  // namespace penstock::lab
