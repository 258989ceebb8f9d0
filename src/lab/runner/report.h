#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::lab {

// What became of an experiment. An invalid one proves nothing, whatever it measured.
enum class Verdict : std::uint8_t { kPassed, kFailed, kInvalid };
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

// Whether the experiment was what it was meant to be.
struct Check {
  std::string what;
  bool holds = false;
  std::string seen;
};

// What is wanted of a number.
struct Bound {
  double low = 0;
  double high = 0;
  enum class Kind : std::uint8_t { kAtMost, kAtLeast, kAbove, kBelow, kBetween, kEqual } kind;
  std::string_view unit;

  [[nodiscard]] bool holds(double value) const noexcept;
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] Bound at_most(double limit, std::string_view unit = std::string_view()) noexcept;
[[nodiscard]] Bound at_least(double limit, std::string_view unit = std::string_view()) noexcept;
[[nodiscard]] Bound above(double limit, std::string_view unit = std::string_view()) noexcept;
[[nodiscard]] Bound below(double limit, std::string_view unit = std::string_view()) noexcept;
[[nodiscard]] Bound between(double low, double high,
                            std::string_view unit = std::string_view()) noexcept;
[[nodiscard]] Bound exactly(double value, std::string_view unit = std::string_view()) noexcept;

// A number with at most three digits behind the point, and its unit.
[[nodiscard]] std::string number_text(double value, std::string_view unit);

// A claim of the experiment, with the file of the evidence that its number comes from. Without a
// wanted text it is a figure: reported, and nothing follows from it.
struct Claim {
  std::string what;
  std::string wanted;
  std::string measured;
  bool holds = true;
  std::string source;

  [[nodiscard]] bool figure() const noexcept { return wanted.empty(); }
};

// What an experiment found out.
struct Report {
  std::vector<Check> checks;
  std::vector<Claim> claims;
  std::vector<std::string> files;  // how the records were kept, a line each

  void check(Check check) { checks.push_back(std::move(check)); }
  void claim(std::string what, const Bound& wanted, double measured, std::string source);
  void figure(std::string what, double measured, std::string_view unit, std::string source);

  [[nodiscard]] Verdict verdict() const noexcept;
  // The checks that do not hold.
  [[nodiscard]] std::vector<Check> broken() const;
};

}  // namespace penstock::lab
