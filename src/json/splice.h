#pragma once

#include <array>
#include <cstddef>
#include <forward_list>
#include <span>
#include <string>
#include <string_view>

namespace penstock::json {

// One change of a text: at byte `at`, `cut` bytes go and `put` comes.
struct Edit {
  std::size_t at = 0;
  std::size_t cut = 0;
  std::string_view put = {};
};

// A text with a few places changed and every other byte as it was, without copying it: the result
// is a short list of views, ready for a gathering write.
//
// source and `put` are not owned: whoever holds the splice keeps them alive. Movable; views stay
// valid when it moves.
class Splice {
 public:
  static constexpr std::size_t kEditsMax =
      6;  // of a request: model, usage, two limits, one more, a message
  static constexpr std::size_t kSegmentsMax = 2 * kEditsMax + 1;
  using Segments = std::array<std::string_view, kSegmentsMax>;

  Splice() = default;
  explicit Splice(std::string_view source) noexcept : source_(source) {}

  // Edits may come in any order, at most kEditsMax; they must lie inside the source and not
  // overlap (asserted: they come from our own reading of it).
  void add(Edit edit) noexcept;
  // The same with bytes that nobody else keeps; these allocate.
  void add_owned(std::size_t at, std::size_t cut, std::string put);

  [[nodiscard]] bool unchanged() const noexcept { return count_ == 0; }
  [[nodiscard]] std::string_view source() const noexcept { return source_; }
  [[nodiscard]] std::span<const Edit> edits() const noexcept { return {edits_.data(), count_}; }

  // The result's length in bytes.
  [[nodiscard]] std::size_t size() const noexcept;

  // The result as views, in order, none of them empty; `into` is the room they are listed in.
  [[nodiscard]] std::span<const std::string_view> segments(Segments& into) const noexcept;

  void append_to(std::string& out) const;

 private:
  std::string_view source_;
  std::array<Edit, kEditsMax> edits_{};
  std::size_t count_ = 0;
  std::forward_list<std::string> kept_;
};

}  // namespace penstock::json
