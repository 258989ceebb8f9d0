#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/units.h"
#include "store/quota_store.h"
#include "store/redis/client.h"

namespace penstock::store {

// How a gateway takes.
struct TakeAs {
  std::string_view gateway;
  std::uint64_t epoch_new = 1;  // random, not 0: the epoch's id should this call have to begin one
  std::string_view record;      // a key of its own that tells whether it ran; empty: none
};

// The keys and arguments of one call of a quota script, and what keeps them.
class QuotaCall {
 public:
  // As quota_script.h has them. What they view outlives the call.
  QuotaCall(const QuotaAsk& ask, const TakeAs& as);
  explicit QuotaCall(const QuotaSettlement& settlement);
  // An undo of the take that `record` tells of: what it took of these buckets goes back.
  struct Undo {
    std::string_view record;
    std::string_view epoch_key;
    std::span<const QuotaBucket> buckets;
  };
  explicit QuotaCall(const Undo& undo);
  QuotaCall(const QuotaCall&) = delete;
  QuotaCall& operator=(const QuotaCall&) = delete;

  [[nodiscard]] std::span<const std::string_view> keys() const noexcept {
    return {keys_.data(), key_count_};
  }
  [[nodiscard]] std::span<const std::string_view> arguments() const noexcept {
    return {arguments_.data(), argument_count_};
  }

 private:
  static constexpr std::size_t kKeysMax = 2 + QuotaAsk::kBucketsMax + QuotaAsk::kCeilingsMax;
  static constexpr std::size_t kArgumentsMax =
      13 + 3 * QuotaAsk::kBucketsMax + 6 * QuotaAsk::kCeilingsMax;

  void key(std::string_view name) noexcept {
    PENSTOCK_ASSERT(key_count_ < kKeysMax);
    keys_[key_count_++] = name;
  }
  void text(std::string_view value) noexcept {
    PENSTOCK_ASSERT(argument_count_ < kArgumentsMax);
    arguments_[argument_count_++] = value;
  }
  void number(std::uint64_t value);
  void bucket(const QuotaBucket& bucket);

  std::array<std::string_view, kKeysMax> keys_{};
  std::array<std::string_view, kArgumentsMax> arguments_{};
  std::size_t key_count_ = 0;
  std::size_t argument_count_ = 0;
  std::array<char, 1024> digits_{};  // of the numbers among the arguments
  std::size_t digits_used_ = 0;
};

struct TakeReply {
  QuotaAnswer answer;
  // A bucket that was last taken from under another limit than ours.
  std::optional<std::size_t> differs;
};
// What the store answered to `ask`; nullopt for a shape that was not agreed.
[[nodiscard]] std::optional<TakeReply> read_answer(const redis::Reply& reply, const QuotaAsk& ask);

}  // namespace penstock::store
