#pragma once

#include <optional>
#include <string_view>

#include "runtime/task.h"
#include "store/quota_store.h"
#include "store/redis/client.h"
#include "store/redis/script.h"

namespace penstock::store {

// Quotas as they are often written: read how many are left, then write one less. Between the two
// everybody else reads the same number. Here so that the test of the real ones is known to notice.
class NaiveQuotas final : public QuotaStore {
 public:
  // client: outlives it.
  explicit NaiveQuotas(redis::Client& client);

  [[nodiscard]] runtime::Task<std::optional<QuotaAnswer>> take(const QuotaAsk& ask,
                                                               TimePoint due) override;
  void settle(const QuotaSettlement&) noexcept override {}
  [[nodiscard]] bool available(std::string_view) const noexcept override { return true; }

 private:
  redis::Client& client_;
  redis::Script get_;
  redis::Script set_;
};

}  // namespace penstock::store
