#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "json/top_level.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {

// A unary reply that is too long to be held, restamped and read while it passes: what restamp()
// and read_reply() do for one that is held (reply.h). Every byte but the model's goes on as it
// came and at once; nothing is withheld but a model's value that a piece ends within.
//
// Where it differs, since it cannot see the end before it sends the beginning: of several
// top-level models the first kRestampsMax that bear another name are restamped, not the last one;
// a model of more than kModelMax bytes or a usage of more than kUsageMax counts as not told; and a
// body that turns out to be no JSON is restamped up to there. One that does not begin as an
// object passes unchanged. The result may be longer or shorter than the body, so its
// Content-Length does not hold.
class LongReply {
 public:
  static constexpr std::size_t kRestampsMax = 4;
  static constexpr std::size_t kModelMax = std::size_t{1} << 10;   // as written, quotes included
  static constexpr std::size_t kUsageMax = std::size_t{16} << 10;  // as written

  // public_model: the name that the client asked for, unescaped; copied.
  explicit LongReply(std::string_view public_model);
  LongReply(const LongReply&) = delete;
  LongReply& operator=(const LongReply&) = delete;

  // Feeds one piece of the body, which may be cut anywhere.
  //
  // result:  what to send for it, in order, none of it empty; views the piece and this object,
  //          valid until the next call.
  // cost:    O(bytes); allocates only when a model or a usage is cut.
  [[nodiscard]] std::span<const std::string_view> feed(std::string_view piece);

  // After the last piece: what was still withheld, if the body ended within its model.
  [[nodiscard]] std::span<const std::string_view> finish();

  // The body so far is one whole JSON object: one that ends before that was cut.
  [[nodiscard]] bool complete() const noexcept { return top_level_.closed(); }

  // The last usage told so far; as complete as it gets once all pieces were fed.
  [[nodiscard]] const llm::Usage& usage() const noexcept { return usage_; }

 private:
  enum class Member : std::uint8_t { kOther, kModel, kUsage };

  [[nodiscard]] std::optional<std::string_view> gather(json::TopLevel::Run run,
                                                       std::size_t bytes_max);
  void on_key(json::TopLevel::Run run);
  void on_model(json::TopLevel::Run run);
  void on_usage(json::TopLevel::Run run);
  [[nodiscard]] bool is_foreign(std::string_view value) const noexcept;
  void pass(std::string_view bytes);
  void add(std::string_view bytes);
  void put_name();
  void release();

  std::string name_;
  std::string name_quoted_;
  json::TopLevel top_level_;
  Member member_ = Member::kOther;  // whose value comes or is under way
  // Of the key, model or usage under way, the bytes that came in earlier pieces.
  std::string part_;
  bool too_long_ = false;  // they are no longer kept
  std::string released_;   // a model that was withheld and goes out unchanged
  std::string_view run_;   // bytes of the piece that go out unchanged, not yet in out_
  std::size_t restamps_ = 0;
  std::array<std::string_view, 2 * kRestampsMax + 2> out_;
  std::size_t out_count_ = 0;
  llm::Usage usage_;
};

}  // namespace penstock::dialect::openai
