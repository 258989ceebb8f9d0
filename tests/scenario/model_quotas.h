#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "control/block.h"
#include "control/rate_bucket.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/quota_store.h"

namespace penstock::scenario {

// A store of shared quotas in memory, on the test's clock: what the scripts in Redis do, for one
// gateway, and the ways to be away.
class ModelQuotas final : public store::QuotaStore {
 public:
  enum class Mood : std::uint8_t {
    kSound,
    kSilent,  // is asked and does not answer
    kAway,    // is known not to answer
  };

  explicit ModelQuotas(runtime::EventLoop& loop) noexcept : loop_(loop) {}

  [[nodiscard]] runtime::Task<std::optional<store::QuotaAnswer>> take(const store::QuotaAsk& ask,
                                                                      TimePoint due) override;
  void settle(const store::QuotaSettlement& settlement) noexcept override;
  [[nodiscard]] bool available(std::string_view) const noexcept override {
    return mood != Mood::kAway;
  }

  Mood mood = Mood::kSound;
  Duration delay = 0s;  // an answer is decided at once and comes so much later
  std::size_t asks = 0;
  std::uint32_t others = 0;  // places of other gateways, under every ceiling
  struct Settled {
    std::uint64_t back = 0;
    std::uint64_t charge = 0;
    std::uint64_t epoch = 0;
    bool operator==(const Settled&) const = default;
  };
  std::vector<Settled> settled;
  static constexpr std::uint64_t kEpoch = 77;

 private:
  runtime::EventLoop& loop_;
  std::map<std::string, control::BlockGrant, std::less<>> blocks_;
  std::map<std::string, control::RateBucket, std::less<>> buckets_;
  std::uint64_t sequence_ = 0;
};

}  // namespace penstock::scenario
