#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

// The quantities of the house. They do not mix: a Bytes cannot be added to a Tokens.
namespace penstock {

using namespace std::chrono_literals;

// Lengths of time, in whole nanoseconds; negative only as the result of a subtraction.
using Duration = std::chrono::nanoseconds;

// The clock that never goes back. Read through base/clock.h only.
struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};
using TimePoint = MonotonicClock::time_point;

// The calendar's time, UTC; only for records that leave the process.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

// A count with a name. Arithmetic stays within the same unit.
template <class Tag>
struct Quantity {
  std::uint64_t value = 0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity left, Quantity right) { return left += right; }
  friend constexpr Quantity operator-(Quantity left, Quantity right) { return left -= right; }
};

using Bytes = Quantity<struct BytesTag>;
using Tokens = Quantity<struct TokensTag>;
using NanoUsd = Quantity<struct NanoUsdTag>;  // 10^-9 US dollars

inline namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return Bytes{n}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes{n << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes{n << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes{n << 30}; }
}  // namespace literals

}  // namespace penstock
