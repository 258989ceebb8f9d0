#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/units.h"
#include "lab/runner/report.h"

namespace penstock::lab {

// How long experiments take: as long as their evidence needs, or just long enough to see them work.
enum class Extent : std::uint8_t { kFull, kShort };

// What one experiment works with.
struct Bench {
  const Clock& clock;
  const std::atomic<bool>& stopped;  // somebody asked for the end
  std::string experiment;            // its name
  std::string program;               // this binary
  std::filesystem::path evidence;    // the folder for what is kept
  std::filesystem::path scratch;     // for what is not
  Extent extent = Extent::kFull;
  std::uint64_t seed = 0;
  Report report;

  template <class T>
  [[nodiscard]] T pick(T full, T brief) const {
    return extent == Extent::kFull ? full : brief;
  }
  // A line that says what is going on.
  void say(std::string_view text) const;
  // Blocks for so long. errors: kInternal when stopped.
  [[nodiscard]] Result<void> wait(Duration time) const;
  // Asks every `step` until the answer is yes; the answer is no when the time is up.
  [[nodiscard]] Result<bool> until(Duration at_most, const std::function<bool()>& done,
                                   Duration step = 10ms) const;
  // Microseconds of the machine's monotonic clock.
  [[nodiscard]] std::int64_t now_us() const noexcept;
};

}  // namespace penstock::lab
