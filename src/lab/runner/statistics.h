#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// What the experiments compute from their records. Pure; no estimate where a count will do.
namespace penstock::lab {

// The smallest value that at least `per_mille` of all are not above (nearest rank). 0 when there
// is none. per_mille: 0 to 1000.
[[nodiscard]] double percentile(std::vector<double> values, std::uint32_t per_mille);

// Where a count of successes may lie: the shortest two-sided interval of whole numbers whose tails
// below and above have at most (1 - confidence) / 2 each.
struct CountInterval {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  [[nodiscard]] bool contains(std::uint64_t count) const noexcept {
    return count >= low && count <= high;
  }
};
// Exact, from the binomial distribution. trials: at most 10^7. probability, confidence: 0 to 1.
[[nodiscard]] CountInterval binomial_interval(std::uint64_t trials, double probability,
                                              double confidence);

// One rung of a ladder of loads.
struct Rung {
  double load = 0;        // requests under way
  double throughput = 0;  // requests a second
};
// The index of the knee: the last rung before the first whose throughput grew by less than a fifth
// of what its load grew (a load twice as high brings less than 20 % more). nullopt: no saturation
// was found, and nothing about capacity follows.
[[nodiscard]] std::optional<std::size_t> knee(std::span<const Rung> rungs);

struct Point {
  double x = 0;
  double y = 0;
};
// The median of the slopes between all pairs of points, which one step among them does not move;
// 0 for fewer than two points. At most some thousand of them.
// source: Theil (1950), Sen (1968).
[[nodiscard]] double slope(std::span<const Point> points);
// Of the line of least squares, which every step tilts; 0 where all points have one x.
[[nodiscard]] double fitted_slope(std::span<const Point> points);

}  // namespace penstock::lab
