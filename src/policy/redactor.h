#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/custom_pattern.h"
#include "policy/pattern_kind.h"
#include "policy/redact_config.h"
#include "policy/window.h"

namespace penstock::policy {

// The patterns of one workload, compiled. Immutable; shared by all threads.
class Redactor {
 public:
  static constexpr std::size_t kPatternsMax = 32;

  // errors: kInvalidRequest with the reason in `message` and the pattern's name in `param`: a bad
  //         expression, one that matches a mask, none or too many patterns.
  [[nodiscard]] static Result<Redactor> build(const RedactConfig& config);

  [[nodiscard]] std::size_t size() const noexcept { return patterns_.size(); }
  // What stands in an identifier's place: `[email]`. Nothing in it needs an escape in JSON.
  [[nodiscard]] std::string_view mask(std::size_t pattern) const noexcept {
    return patterns_[pattern].mask;
  }
  [[nodiscard]] PatternKind kind(std::size_t pattern) const noexcept {
    return patterns_[pattern].kind;
  }
  // The configured word: `email`, or a custom one's name.
  [[nodiscard]] std::string_view name(std::size_t pattern) const noexcept {
    const std::string_view whole = mask(pattern);
    return whole.substr(1, whole.size() - 2);
  }
  [[nodiscard]] RedactAction action() const noexcept { return action_; }
  [[nodiscard]] bool on(Direction direction) const noexcept {
    return directions_[static_cast<std::size_t>(direction)];
  }

  // The first identifier of one pattern at or after `from`: see finders.h.
  [[nodiscard]] Found find(std::size_t pattern, const Window& window, std::size_t from) const;

 private:
  struct Pattern {
    PatternKind kind;
    std::string mask;
    std::size_t custom = 0;  // its place in custom_
  };

  std::vector<Pattern> patterns_;
  std::vector<CustomPattern> custom_;
  RedactAction action_ = RedactAction::kMask;
  std::array<bool, 2> directions_{};
};

}  // namespace penstock::policy
