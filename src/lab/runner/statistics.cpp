#include "lab/runner/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace penstock::lab {

double percentile(std::vector<double> values, std::uint32_t per_mille) {
  if (values.empty()) return 0;
  const std::size_t rank = (values.size() * per_mille + 999) / 1000;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

CountInterval binomial_interval(std::uint64_t trials, double probability, double confidence) {
  if (probability <= 0) return {0, 0};
  if (probability >= 1) return {trials, trials};
  const double tail = (1 - confidence) / 2;
  const auto n = static_cast<double>(trials);
  const auto chance = [&](std::uint64_t count) {
    const auto k = static_cast<double>(count);
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(probability) + (n - k) * std::log1p(-probability));
  };
  CountInterval interval{.low = 0, .high = trials};
  double below = chance(0);
  while (below <= tail && interval.low < trials) below += chance(++interval.low);
  double above = chance(trials);
  while (above <= tail && interval.high > 0) above += chance(--interval.high);
  return interval;
}

std::optional<std::size_t> knee(std::span<const Rung> rungs) {
  constexpr double kWorthIt = 0.2;
  for (std::size_t i = 1; i < rungs.size(); ++i) {
    const double more_load = rungs[i].load / rungs[i - 1].load - 1;
    const double more_work = rungs[i].throughput / rungs[i - 1].throughput - 1;
    if (more_work < kWorthIt * more_load) return i - 1;
  }
  return std::nullopt;
}

double slope(std::span<const Point> points) {
  std::vector<double> slopes;
  slopes.reserve(points.size() * points.size() / 2);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      if (points[j].x != points[i].x)
        slopes.push_back((points[j].y - points[i].y) / (points[j].x - points[i].x));
  if (slopes.empty()) return 0;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::ranges::nth_element(slopes, middle);
  return *middle;
}

double fitted_slope(std::span<const Point> points) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const Point& point : points) {
    mean_x += point.x / count;
    mean_y += point.y / count;
  }
  double above = 0;
  double below = 0;
  for (const Point& point : points) {
    above += (point.x - mean_x) * (point.y - mean_y);
    below += (point.x - mean_x) * (point.x - mean_x);
  }
  return below == 0 ? 0 : above / below;
}

}  // namespace penstock::lab
