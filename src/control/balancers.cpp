#include "control/balancers.h"

#include <array>
#include <cstddef>
#include <span>

#include "base/assert.h"
#include "control/least_request.h"
#include "control/peak_ewma.h"
#include "control/weighted_round_robin.h"

namespace penstock::control {
namespace {

constexpr std::array kTable{
    BalancerInfo{Balance::kWeightedRoundRobin, make_weighted_round_robin},
    BalancerInfo{Balance::kLeastRequest, make_least_request},
    BalancerInfo{Balance::kPeakEwma, make_peak_ewma},
};

}  // namespace

std::span<const BalancerInfo> balancers() noexcept { return kTable; }

const BalancerInfo& info(Balance balance) noexcept {
  const auto index = static_cast<std::size_t>(balance);
  PENSTOCK_ASSERT(index < kTable.size() && kTable[index].balance == balance);
  return kTable[index];
}

}  // namespace penstock::control
