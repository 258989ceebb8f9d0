#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace penstock {

// A metric label whose value is a configured name: an index into LabelNames.
struct Label {
  std::uint16_t index = 0;
  constexpr auto operator<=>(const Label&) const = default;
};
inline constexpr Label kNoLabel{0};     // text ""
inline constexpr Label kOtherLabel{1};  // text "other": unknown names, and names beyond the cap

// The names that labels stand for. Append-only: a Label and its text stay valid for the life of
// this object, so config snapshots may come and go. Any thread may call any member.
class LabelNames {
 public:
  static constexpr std::size_t kNamesMax = 4096;  // the two built-in ones included

  LabelNames();
  LabelNames(const LabelNames&) = delete;
  LabelNames& operator=(const LabelNames&) = delete;

  // Gives a name its label; the same name has the same label each time. Takes a mutex and may
  // allocate: for compiling a config snapshot, never on a request's path.
  //
  // name:    a name from config, copied. Never a word that a client sent.
  // result:  kOtherLabel when the names are full.
  [[nodiscard]] Label intern(std::string_view name);

  // The text of a label; "other" for one that was never given out. Never blocks.
  [[nodiscard]] std::string_view text(Label label) const noexcept;

 private:
  std::mutex mutex_;                                    // guards the next two
  std::deque<std::string> owned_;                       // never shrinks: views stay valid
  std::unordered_map<std::string_view, Label> labels_;  // views into owned_
  std::unique_ptr<std::array<std::string_view, kNamesMax>> texts_;
  std::atomic<std::size_t> count_{0};  // texts_[0, count_) are written and never change again
};

}  // namespace penstock
